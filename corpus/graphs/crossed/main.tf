# `a` uses an output of `b`, and `b` another output of `a`. There is no cycle of values.
module "a" {
  source = "./a"
  late   = module.b.last
}
module "b" {
  source = "./b"
  start  = module.a.first
}
output "end" { value = module.a.last }
resource "terraform_data" "root" { input = module.b.last }
