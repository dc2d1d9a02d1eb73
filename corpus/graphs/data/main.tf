resource "terraform_data" "path" { input = "state" }
locals {
  path = "${terraform_data.path.output}.json"
}
data "terraform_remote_state" "keyed" {
  for_each = toset(["a", "b"])
  backend  = "local"
  config   = { path = "${each.key}-${local.path}" }
}
data "terraform_remote_state" "after" {
  backend    = "local"
  config     = { path = "x" }
  defaults   = { a = data.terraform_remote_state.keyed["a"].outputs }
  depends_on = [terraform_data.user]
}
resource "terraform_data" "user" { input = data.terraform_remote_state.keyed["a"].outputs.id }
resource "terraform_data" "all" { input = [for state in data.terraform_remote_state.keyed : state.outputs] }
output "last" { value = data.terraform_remote_state.after.outputs }
