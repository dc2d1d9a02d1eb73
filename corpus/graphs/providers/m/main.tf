terraform {
  required_providers {
    terraform = {
      source                = "terraform.io/builtin/terraform"
      configuration_aliases = [terraform.other]
    }
  }
}
resource "terraform_data" "default" {}
resource "terraform_data" "other" { provider = terraform.other }
data "terraform_remote_state" "other" {
  provider = terraform.other
  backend  = "local"
  config   = { path = terraform_data.default.id }
}
