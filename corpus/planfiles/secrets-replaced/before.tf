variable "password" {
  type      = string
  sensitive = true
  default   = "CANARY-before"
}
resource "terraform_data" "a" {
  input            = { password = var.password, plain = 1 }
  triggers_replace = [var.password]
}
