variable "size" {
  type    = number
  default = 3
  validation {
    condition     = var.size > 1
    error_message = "too small"
  }
}
resource "terraform_data" "a" {
  count = 2
  input = var.size
  lifecycle {
    precondition {
      condition     = var.size > 2
      error_message = "not even three"
    }
    postcondition {
      condition     = self.id != ""
      error_message = "no id"
    }
  }
}
check "fails" {
  assert {
    condition     = var.size == 4
    error_message = "size is ${var.size}, not \"four\""
  }
}
check "passes" {
  assert {
    condition     = var.size == 3
    error_message = "never"
  }
}
output "guarded" {
  value = var.size
  precondition {
    condition     = var.size > 0
    error_message = "never"
  }
}
