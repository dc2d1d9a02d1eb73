variable "in" {}
resource "terraform_data" "imported" {}
output "out" { value = var.in }
check "inner" {
  assert {
    condition     = terraform_data.imported.id != var.in
    error_message = "No."
  }
}
