resource "terraform_data" "address" {
  input            = "192.0.2.10"
  triggers_replace = 1
}

locals {
  addresses = { lb = terraform_data.address.output }
  records   = { for name in ["www", "api"] : name => local.addresses.lb }
}

resource "terraform_data" "record" {
  for_each = local.records
  input    = each.value
}

module "zone" {
  source  = "./zone"
  address = local.addresses.lb
}

output "name_servers" {
  value = module.zone.servers
}
