output "left" { value = "nothing" }
