variable "checked" {}
variable "required" {}
variable "validated" {
  validation {
    condition     = var.validated != var.required
    error_message = "No."
  }
}
locals {
  idle = var.checked
}
check "value" {
  assert {
    condition     = var.checked != "x"
    error_message = "No."
  }
}
output "constant" {
  value = "constant"
  precondition {
    condition     = var.required != "x"
    error_message = "No."
  }
}
output "validated" { value = var.validated }
