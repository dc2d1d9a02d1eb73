variable "value" {}
module "unused" {
  source = "../unused"
  value  = var.value
}
module "counted" {
  source = "../unused"
  count  = 1
  value  = "x"
}
