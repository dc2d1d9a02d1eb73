variable "id" { default = "an-id" }
locals {
  ids = { a = var.id }
}
import {
  for_each = local.ids
  to       = terraform_data.imported[each.key]
  id       = each.value
}
resource "terraform_data" "imported" {
  for_each = toset(["a"])
}
moved {
  from = terraform_data.old
  to   = terraform_data.new
}
resource "terraform_data" "new" { input = terraform_data.imported["a"].id }
