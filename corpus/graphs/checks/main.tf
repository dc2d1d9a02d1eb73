resource "terraform_data" "a" {}
resource "terraform_data" "b" {}
resource "terraform_data" "c" {}
locals {
  keys = { x = terraform_data.c.id }
}

# The assertion does not use the data source of the check.
check "data" {
  data "terraform_remote_state" "own" {
    backend = "local"
    config  = { path = terraform_data.a.id }
  }
  assert {
    condition     = terraform_data.b.id != ""
    error_message = "No ${local.keys["x"]}."
  }
}

# The key of an instance of the module is computed.
module "m" {
  source   = "./m"
  for_each = { x = 1 }
  in       = terraform_data.b.id
}
import {
  for_each = local.keys
  to       = module.m[each.key].terraform_data.imported
  id       = each.value
}
resource "terraform_data" "after" { depends_on = [module.m] }
