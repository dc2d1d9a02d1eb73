resource "terraform_data" "numbers" {
  input = { zero = 0, negative = -1, fraction = 0.1, third = 1 / 3, big = 123456789012345678901234567890, u64 = 18446744073709551616, large = 1e100, tiny = 1e-30 }
}
resource "terraform_data" "strings" {
  input = { empty = "", control = "tab\tline\nreturn\r", html = "<a href='x'>&amp;</a>", unicode = "ü日本語😀\u2028\u2029", digits = "12345678901234567890123" }
}
resource "terraform_data" "collections" {
  input = { tuple = [1, "a", true, null], set = toset(["b", "a"]), map = tomap({ x = 1 }), empty = [], none = {}, deep = [[[[{}]]]] }
}
output "mixed" { value = { known = [1], unknown = terraform_data.numbers.id } }
output "unknown" { value = terraform_data.numbers.id }
output "list" { value = tolist([1, 2]) }
output "null" { value = null }
output "object" { value = { a = toset([true]), b = 1.5 } }
