resource "terraform_data" "a" { input = "x" }
data "terraform_remote_state" "later" {
  backend = "local"
  config  = { path = "${terraform_data.a.id}.tfstate" }
}
data "terraform_remote_state" "now" {
  backend = "local"
  config  = { path = "${path.module}/remote.tfstate" }
}
output "later" { value = data.terraform_remote_state.later.outputs }
output "now" { value = data.terraform_remote_state.now.outputs }
