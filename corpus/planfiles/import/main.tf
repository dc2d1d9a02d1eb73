resource "terraform_data" "a" {
  input = "x"
}
import {
  to = terraform_data.a
  id = "some-id"
}
import {
  to = terraform_data.g
  id = "other-id"
}
