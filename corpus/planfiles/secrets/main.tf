variable "password" {
  type      = string
  sensitive = true
  default   = "CANARY-default"
}
resource "terraform_data" "a" {
  input = { user = "u", password = var.password, list = ["x", var.password], nested = { deep = [{ key = var.password }] } }
}
resource "terraform_data" "all" { input = var.password }
output "password" {
  value     = var.password
  sensitive = true
}
