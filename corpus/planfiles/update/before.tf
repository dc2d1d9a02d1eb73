resource "terraform_data" "a" {
  input = { name = "old", tags = { a = "1", b = "2" } }
}
