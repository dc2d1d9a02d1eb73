# Names that are also words of the language, and keys with dots, brackets and quotes.
variable "output" { default = "a.b" }
variable "var" { default = "x" }
locals {
  local    = terraform_data.data["a.b"].id
  module   = { "a.b" = terraform_data.output.id, "]" = "x" }
  data     = local.module["a.b"]
  dash-ed  = local.module["]"]
  größe    = terraform_data.m-n.id
  each     = [for each in [{ key = "x" }] : each.key]
  resource = [for i, terraform_data in [{ m-n = "x" }] : { (i) = terraform_data.m-n }]
}
resource "terraform_data" "output" { input = var.output }
resource "terraform_data" "data" {
  for_each = { (var.output) = 1, "x[0]" = 2, "\"]" = 3 }
  input    = var.var
}
resource "terraform_data" "m-n" { input = terraform_data.data["\"]"].id }
resource "terraform_data" "local" { input = local.local }
resource "terraform_data" "var" { input = local.dash-ed }
resource "terraform_data" "größe" { input = "${local.größe}" }
resource "terraform_data" "module" { input = module.output.output }
resource "terraform_data" "keyed" { input = module.module["a.b"].module }
resource "terraform_data" "quoted" { input = terraform_data.data["${var.output}"].id }
data "terraform_remote_state" "data" {
  backend = "local"
  config  = { path = local.data }
}
module "output" {
  source = "./m"
  output = terraform_data.keyed.id
}
module "module" {
  source   = "./m"
  for_each = toset(["a.b"])
  output   = data.terraform_remote_state.data.outputs.local.data
}
module "data" {
  source = "./m"
  output = local.resource
}
output "var" { value = [module.data.module, module.data.output, local.each] }
