# Terraform's own provider has no nested blocks, so `expected.dot` is written by hand.
locals {
  rules = { for key, rule in example_rule.one : key => rule.id }
  ports = [example_port.one.number]
}
resource "example_rule" "one" {}
resource "example_port" "one" {}
resource "example_name" "one" {}
resource "example_zone" "one" {}
resource "example_label" "one" {}
resource "example_unused" "rule" {}

resource "example_thing" "iterated" {
  dynamic "rule" {
    for_each = local.rules
    content {
      id = rule.value
    }
  }
}
resource "example_thing" "named" {
  dynamic "rule" {
    for_each = ["x"]
    iterator = example_unused
    labels   = [example_unused.rule.key]
    content {
      id   = example_unused.rule.value
      name = example_name.one.id
    }
  }
}
resource "example_thing" "nested" {
  dynamic "rule" {
    for_each = example_zone.one.zones
    labels   = [example_label.one.id]
    content {
      dynamic "port" {
        for_each = [for port in local.ports : port + rule.value.offset]
        content {
          number = port.value
          rule   = rule.key
        }
      }
      fixed {
        name = example_name.one.id
      }
    }
  }
}
resource "example_thing" "last" {
  list = [for port in example_thing.nested.rule : port.value]
}
