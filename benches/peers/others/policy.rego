# Task A as a policy: the list of changes, and those that destroy.
package plan

import rego.v1

changes := [sprintf("%s\t%s", [concat(",", it.change.actions), it.address]) |
	some it in input.resource_changes
	it.change.actions != ["no-op"]
]

destroys := [it.address |
	some it in input.resource_changes
	"delete" in it.change.actions
]
