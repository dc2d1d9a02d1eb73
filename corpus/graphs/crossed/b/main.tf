variable "start" {}
resource "terraform_data" "middle" { input = var.start }
output "last" { value = terraform_data.middle.output }
