variable "deep" { type = number }
resource "terraform_data" "here" {
  count = 2
  input = "here ${count.index}"
}
module "leaf" {
  source   = "./leaf"
  for_each = { for i in range(var.deep) : "k${i}" => i }
  value    = terraform_data.here[0].id
}
output "ids" { value = [for m in module.leaf : m.id] }
