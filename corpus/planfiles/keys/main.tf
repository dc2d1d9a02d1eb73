resource "terraform_data" "counted" {
  count = 12
  input = count.index
}
resource "terraform_data" "each" {
  for_each = toset(["plain", "dots.and/slash", "quote\"d", "back\\slash", "<html>&", "ünï", "$${x}", "tab\there", "0"])
  input = each.key
}
