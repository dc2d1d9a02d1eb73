output "o" { value = "x" }
