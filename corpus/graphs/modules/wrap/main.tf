variable "in" {}
variable "whole" {}
variable "ignored" { default = 1 }
module "first" {
  source = "../inner"
  in     = var.in
}
module "second" {
  source = "../inner"
  in     = module.first.constant
}
resource "terraform_data" "whole" { input = var.whole[0].constant }
output "deep" { value = { first = module.first, second = module.second.out } }
output "whole" { value = terraform_data.whole.output }
