resource "terraform_data" "a" {}
resource "terraform_data" "b" {}
resource "terraform_data" "c" {}

# Nothing in the module uses the value of the argument.
module "unused" {
  source = "./unused"
  value  = terraform_data.a.id
}
resource "terraform_data" "after_unused" { depends_on = [module.unused] }

# The module has no members except another module.
module "nested" {
  source     = "./nested"
  value      = terraform_data.b.id
  depends_on = [terraform_data.c]
}
resource "terraform_data" "after_nested" { input = [for k, v in { m = module.nested } : k] }

# Only a check, a validation and a precondition use the values of the arguments.
module "guarded" {
  source    = "./guarded"
  checked   = terraform_data.a.id
  validated = terraform_data.b.id
  required  = terraform_data.c.id
}
resource "terraform_data" "after_guarded" { depends_on = [module.guarded] }
resource "terraform_data" "guarded" { input = module.guarded.constant }
resource "terraform_data" "validated" { input = module.guarded.validated }
