resource "terraform_data" "a" {
  input = "x"
}
resource "terraform_data" "b" {
  input = "y"
  lifecycle { replace_triggered_by = [terraform_data.a] }
}
