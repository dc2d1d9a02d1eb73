terraform {
  required_providers {
    terraform = { source = "terraform.io/builtin/terraform" }
  }
}
variable "on" { default = true }
resource "terraform_data" "one" { input = "1" }
resource "terraform_data" "two" {
  count = length(terraform_data.map)
  input = count.index
}
resource "terraform_data" "map" {
  for_each = { a = "one", b = "two" }
  input    = each.value
}
resource "terraform_data" "chained" {
  for_each = terraform_data.map
  input    = each.value.output

  triggers_replace = ["x"]
}
resource "terraform_data" "splat" { input = terraform_data.two[*].output }
resource "terraform_data" "legacy_splat" { input = element(terraform_data.two.*.output, 0) }
resource "terraform_data" "legacy_index" { input = terraform_data.two.0.output }
resource "terraform_data" "index" { input = terraform_data.map["a"].output }
resource "terraform_data" "computed" {
  count = 2
  input = terraform_data.two[count.index % length(terraform_data.chained)].output
}
resource "terraform_data" "whole" { input = terraform_data.one }
resource "terraform_data" "keys" { input = { (terraform_data.one.id) = 1, one = 2, "${terraform_data.map["b"].id}" = 3 } }
resource "terraform_data" "conditional" { input = var.on ? terraform_data.one.id : terraform_data.splat.id }
resource "terraform_data" "template" { input = "a %{if var.on}${terraform_data.one.id}%{else}${terraform_data.index.id}%{endif} %{for x in terraform_data.two[*].id}${x}%{endfor}" }
resource "terraform_data" "heredoc" {
  input = <<-EOT
    %{for terraform_data in ["a"]~}
    ${terraform_data} ${var.on}
    %{endfor~}
    ${terraform_data.whole.id}
  EOT
}
resource "terraform_data" "for" { input = { for k, v in terraform_data.map : k => "${v.output} ${terraform_data.one.id}" if terraform_data.legacy_index.id != k } }
resource "terraform_data" "bound" { input = [for terraform_data in [{ one = "x" }] : terraform_data.one] }
resource "terraform_data" "function" { input = provider::terraform::encode_expr(concat([terraform_data.keys.id], [[terraform_data.one.id]]...)) }
resource "terraform_data" "operators" { input = !(var.on && -length(terraform_data.two) < 3) || (terraform_data.whole).id == "x" }
resource "terraform_data" "depends" { depends_on = [terraform_data.map["a"], terraform_data.splat] }
resource "terraform_data" "paths" { input = "${path.module} ${terraform.workspace}" }
resource "terraform_data" "index_by_reference" { input = terraform_data.map[terraform_data.chained["a"].input == "x" ? "a" : local.keys[local.first]].output }
resource "terraform_data" "after_splat" { input = terraform_data.chained["a"][*].triggers_replace[local.first] }
resource "terraform_data" "literals" { input = [[terraform_data.one][0].id, { a = terraform_data.keys }.a.id, merge({}, { x = terraform_data.for })["x"].id] }
resource "terraform_data" "escapes" { input = "$${terraform_data.one.id} %%{if terraform_data.one.id} \"${"${terraform_data.paths.id}"}\"" } # terraform_data.one.id
resource "terraform_data" "grouped" { input = { for k, v in terraform_data.map : v.output => k... } }
resource "terraform_data" "try" { input = try(terraform_data.whole.output.x[0].y, can(terraform_data.escapes.id)) }
locals {
  first = 0
  keys  = [for k in ["a"] : k]
}
output "late" {
  value      = "constant"
  depends_on = [terraform_data.conditional]
}
