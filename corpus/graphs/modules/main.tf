resource "terraform_data" "a" { input = "a" }
resource "terraform_data" "b" { input = "b" }
resource "terraform_data" "c" { for_each = toset(["x", "y"]) }

module "single" {
  source = "./inner"
  in     = terraform_data.a.output
}
module "counted" {
  source = "./inner"
  count  = length(terraform_data.c)
  in     = "constant ${count.index}"
}
module "keyed" {
  source   = "./inner"
  for_each = { for k, v in terraform_data.c : k => v.id }
  in       = each.value
}
module "late" {
  source     = "./inner"
  in         = "x"
  depends_on = [terraform_data.b, module.single]
}
module "wrapped" {
  source = "./wrap"
  in     = module.single.out
  whole  = module.counted
}
locals {
  keyed = [for k, m in module.keyed : m.constant]
}
resource "terraform_data" "out" { input = module.single.out }
resource "terraform_data" "constant" { input = module.single.constant }
resource "terraform_data" "of_late" { input = module.late.constant }
resource "terraform_data" "splat" { input = module.counted[*].constant }
resource "terraform_data" "instance" { input = module.counted[0].out }
resource "terraform_data" "key" { input = module.keyed["x"].unused }
resource "terraform_data" "computed" {
  for_each = toset(["x"])
  input    = module.keyed[each.key].constant
}
resource "terraform_data" "all" { input = local.keyed }
resource "terraform_data" "deep" { input = module.wrapped.deep }
resource "terraform_data" "whole" { input = module.wrapped }
resource "terraform_data" "after" { depends_on = [module.wrapped] }
output "single" {
  value      = module.single.constant
  depends_on = [module.late]
}
