terraform {
  required_providers {
    terraform = { source = "terraform.io/builtin/terraform" }
  }
}
provider "terraform" {}
provider "terraform" {
  alias = "west"
}
provider "terraform" {
  alias = "east"
}
resource "terraform_data" "default" {}
resource "terraform_data" "west" { provider = terraform.west }
module "default" {
  source    = "./m"
  providers = { terraform.other = terraform.east }
}
module "west" {
  source    = "./m"
  providers = { terraform = terraform.west, terraform.other = terraform }
}
