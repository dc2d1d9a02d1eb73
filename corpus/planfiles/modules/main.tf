module "one" {
  source   = "./child"
  for_each = toset(["a", "b.c"])
  deep     = 2
}
module "two" {
  source = "./child"
  count  = 2
  deep   = 1
}
resource "terraform_data" "root" {
  input = [for m in module.two : m.ids]
}
