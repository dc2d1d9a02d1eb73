# Task A for jq and jaq: a line for each change that is not a no-op, actions and address.
.resource_changes[]
| select(.change.actions != ["no-op"])
| (.change.actions | join(",")) + "\t" + .address
