variable "password" {
  type      = string
  sensitive = true
  default   = "CANARY-before"
}
resource "terraform_data" "a" {
  input = { user = "u", password = var.password, list = ["x", "y"] }
}
resource "terraform_data" "all" { input = "public" }
