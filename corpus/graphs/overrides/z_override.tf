locals {
  changed = terraform_data.b.id
}
resource "terraform_data" "input" {
  input = terraform_data.b.id
}
resource "terraform_data" "lifecycle" {
  count = length([terraform_data.b])
  provisioner "local-exec" {
    command = terraform_data.b.id
  }
}
output "o" {
  value = var.v
}
resource "terraform_data" "conditions" {
  lifecycle {
    replace_triggered_by = [terraform_data.b]
  }
}
resource "terraform_data" "twice" {
  input = terraform_data.c.id
}
module "m" {
  in = terraform_data.b.id
}
