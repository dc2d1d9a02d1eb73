variable "in" {}
variable "other" {}
resource "terraform_data" "in" { input = var.in }
resource "terraform_data" "other" { input = var.other }
output "out" { value = terraform_data.in.id }
