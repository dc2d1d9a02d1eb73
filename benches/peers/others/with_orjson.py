"""Task A with orjson: parses the whole plan into Python objects."""

import sys

import orjson

with open(sys.argv[1], "rb") as file:
    plan = orjson.loads(file.read())
for element in plan["resource_changes"]:
    actions = element["change"]["actions"]
    if actions != ["no-op"]:
        sys.stdout.write(f"{','.join(actions)}\t{element['address']}\n")
