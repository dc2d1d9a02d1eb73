variable "names" { default = ["x", "y"] }

# `all` refers to three resources, and everything that uses it depends on all three.
locals {
  all    = { net = terraform_data.net.output, eip = terraform_data.eip[*].output, keys = [for k, v in terraform_data.key : k] }
  deeper = { inside = local.all }
  keys   = toset(concat(var.names, keys(terraform_data.key)))
  plain  = "text"
  # The names that a for expression binds hide the local values.
  bound = [for local in [{ all = "x" }] : local.all]
}

resource "terraform_data" "net" { input = "n" }
resource "terraform_data" "eip" {
  count = 2
  input = local.plain
}
resource "terraform_data" "key" {
  for_each = toset(["a", "b"])
  input    = each.value
}
resource "terraform_data" "all" { input = local.all.net }
resource "terraform_data" "deep" { input = local.deeper["inside"].eip[0] }
resource "terraform_data" "each" {
  for_each = local.keys
  input    = each.key
}
resource "terraform_data" "plain" { input = "${local.plain}!" }
output "net" { value = local.deeper }
