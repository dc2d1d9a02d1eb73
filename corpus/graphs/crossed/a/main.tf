variable "late" {}
resource "terraform_data" "first" { input = "first" }
resource "terraform_data" "last" { input = var.late }
output "first" { value = terraform_data.first.output }
output "last" { value = terraform_data.last.output }
