variable "least" { default = 1 }
variable "size" {
  default = 2
  validation {
    condition     = var.size >= var.least + local.more
    error_message = "At least ${var.least}."
  }
}
locals {
  more = 0
  host = terraform_data.host.id
}
resource "terraform_data" "host" { input = var.size }
resource "terraform_data" "trigger" {
  for_each = toset(["a"])
  input    = each.key
}
resource "terraform_data" "one" {
  lifecycle {
    replace_triggered_by = [terraform_data.trigger["a"], terraform_data.host.output]
  }
}
resource "terraform_data" "each" {
  for_each = toset(["a"])
  lifecycle {
    replace_triggered_by = [terraform_data.trigger[each.key]]
    ignore_changes       = [input]
  }
}
resource "terraform_data" "before" {
  lifecycle {
    precondition {
      condition     = terraform_data.host.output != "x"
      error_message = "The trigger is ${terraform_data.one.id}."
    }
  }
}
resource "terraform_data" "after" {
  lifecycle {
    postcondition {
      condition     = self.id != local.host
      error_message = "No."
    }
  }
}
resource "terraform_data" "provisioned" {
  connection {
    host = local.host
  }
  provisioner "local-exec" {
    command     = "echo ${terraform_data.before.id}"
    environment = { X = terraform_data.after.id, SELF = self.id }
  }
  provisioner "remote-exec" {
    inline = ["true"]
    connection {
      host = terraform_data.trigger["a"].id
      user = var.least
    }
  }
}
resource "terraform_data" "destroyed" {
  provisioner "local-exec" {
    when    = destroy
    command = "echo ${self.id}"
  }
}
output "checked" {
  value = 1
  precondition {
    condition     = terraform_data.provisioned.id != ""
    error_message = "No."
  }
}
check "state" {
  data "terraform_remote_state" "checked" {
    backend = "local"
    config  = { path = "none-${terraform_data.host.id}" }
  }
  assert {
    condition     = data.terraform_remote_state.checked.outputs != terraform_data.one.id
    error_message = "No."
  }
}
