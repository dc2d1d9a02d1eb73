variable "address" {}

resource "terraform_data" "server" {
  input = var.address
}

output "servers" {
  value = terraform_data.server.output
}
