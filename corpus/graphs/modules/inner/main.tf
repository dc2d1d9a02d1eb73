variable "in" {}
locals {
  in = var.in
}
resource "terraform_data" "uses" { input = local.in }
resource "terraform_data" "alone" { input = "alone" }
output "out" { value = terraform_data.uses.output }
output "constant" { value = "constant" }
output "unused" { value = terraform_data.alone.output }
