variable "value" {}
