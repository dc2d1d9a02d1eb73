resource "terraform_data" "a" {
  input = { name = "a", list = [1, 2.5, "x"], flag = true, none = null }
}
resource "terraform_data" "b" {
  input = terraform_data.a.id
}
