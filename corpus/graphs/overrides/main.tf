variable "v" { default = 1 }
locals {
  kept    = terraform_data.a.id
  changed = terraform_data.a.id
}
resource "terraform_data" "a" {}
resource "terraform_data" "b" {}
resource "terraform_data" "c" {}
resource "terraform_data" "input" {
  input            = terraform_data.a.id
  triggers_replace = terraform_data.a.id
}
resource "terraform_data" "lifecycle" {
  count = length([terraform_data.a])
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.a]
    precondition {
      condition     = terraform_data.a.id != "x"
      error_message = "No."
    }
  }
  provisioner "local-exec" {
    command = terraform_data.a.id
  }
}
resource "terraform_data" "kept" { input = local.kept }
resource "terraform_data" "changed" { input = local.changed }
resource "terraform_data" "conditions" {
  lifecycle {
    replace_triggered_by = [terraform_data.a]
    precondition {
      condition     = terraform_data.a.id != "x"
      error_message = "No."
    }
  }
}
resource "terraform_data" "twice" {
  for_each = { a = terraform_data.a.id }
  input    = terraform_data.a.id
}
module "m" {
  source = "./m"
  in     = terraform_data.a.id
  other  = terraform_data.a.id
}
output "m" { value = module.m.out }
output "o" {
  value      = terraform_data.a.id
  depends_on = [terraform_data.b]
}
