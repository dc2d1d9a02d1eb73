variable "output" {}
resource "terraform_data" "output" { input = var.output }
data "terraform_remote_state" "module" {
  backend = "local"
  config  = { path = terraform_data.output.id }
}
output "output" { value = terraform_data.output.id }
output "module" { value = data.terraform_remote_state.module.outputs }
