variable "token" {
  type      = string
  sensitive = true
  default   = "CANARY-default"
}

module "network" {
  source = "./network"
  cidr   = "10.0.0.0/16"
}

resource "aws_db_instance" "main" {
  identifier = "main"
  password   = var.token
  subnet     = module.network.subnet
}

check "reachable" {
  assert {
    condition     = aws_db_instance.main.port == 5432
    error_message = "The database listens on another port."
  }
}

output "endpoint" {
  value = aws_db_instance.main.endpoint
}
