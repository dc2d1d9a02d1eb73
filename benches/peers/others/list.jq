# Task A for jq and jaq: one line with actions and address for each change that is not a no-op.
.resource_changes[]
| select(.change.actions != ["no-op"])
| (.change.actions | join(",")) + "\t" + .address
