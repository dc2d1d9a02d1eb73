resource "terraform_data" "a" {
  input = "x"
}
output "o" { value = "old" }
