resource "terraform_data" "a" {
  input = "x"
}
resource "terraform_data" "c" {
  input = "y"
}
