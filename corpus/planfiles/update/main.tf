resource "terraform_data" "a" {
  input = { name = "new", tags = { a = "1", c = "3" } }
}
