"""Task A with ijson: reads events, so that memory stays small. Requires its C backend."""

import sys

import ijson.backends.yajl2_c as ijson

WANTED = {"resource_changes.item.address", "resource_changes.item.change.actions.item"}

address, actions = None, []
with open(sys.argv[1], "rb") as file:
    for place, event, value in ijson.parse(file, buf_size=1 << 20):
        if place in WANTED:
            if place.endswith("address"):
                address = value
            else:
                actions.append(value)
        elif place == "resource_changes.item" and event == "end_map":
            if actions != ["no-op"]:
                sys.stdout.write(f"{','.join(actions)}\t{address}\n")
            address, actions = None, []
