resource "terraform_data" "a" { input = "x" }
resource "terraform_data" "b" {
  input = terraform_data.a.input
  lifecycle {
    precondition {
      condition     = terraform_data.a.input == "y"
      error_message = "a is not y"
    }
  }
}
