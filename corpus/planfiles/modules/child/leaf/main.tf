variable "value" { type = string }
resource "terraform_data" "leaf" { input = var.value }
output "id" { value = terraform_data.leaf.id }
