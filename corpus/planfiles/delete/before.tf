resource "terraform_data" "a" {
  input = "x"
}
output "left" { value = "a" }
output "gone" { value = 1 }
