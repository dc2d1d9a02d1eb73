resource "terraform_data" "b" {
  input = "x"
}
moved {
  from = terraform_data.a
  to   = terraform_data.b
}
resource "terraform_data" "d" {
  input = "changed"
}
moved {
  from = terraform_data.c
  to   = terraform_data.d
}
