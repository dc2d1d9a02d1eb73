resource "terraform_data" "a" {
  input            = "same"
  triggers_replace = ["v2"]
}
resource "terraform_data" "b" {
  input            = 1
  triggers_replace = { a = 2 }
  lifecycle { create_before_destroy = true }
}
