# Task B for jq: the record stream of a plan, as the README and the schema of plansift describe it.
#
#     jq -c --arg source PLAN --argjson bytes LENGTH -f records.jq PLAN
#
# jq has no exact numbers, so numbers that differ only beyond the precision of a double are equal.

def given: select(. != null);
def holds_true: any(..; . == true);
def drop_empty: with_entries(select(.value != null and .value != []));

def action:
  if . == ["delete", "create"] or . == ["create", "delete"] or
     . == ["create", "forget"] or . == ["forget", "create"]
  then "replace" else join("+") end;

# Writes a path, a list of keys and indices, as text.
def path_text:
  reduce .[] as $step ("";
    if ($step | type) == "number" then . + "[\($step)]"
    elif ($step | type) != "string" then . + "[*]"
    elif ($step | test("^[A-Za-z_][A-Za-z0-9_-]*$")) | not then . + "[" + ($step | tojson) + "]"
    elif . == "" then $step
    else . + "." + $step
    end);

def replace_step:
  if type == "number" and (. < 0 or . > 4294967295 or . != floor) then null else . end;

# The places where an overlay is true.
def marked: [path(.. | select(. == true))] | unique;

# The sensitive places of both sides, without places below others.
def sensitive:
  (.before_sensitive | marked) + (.after_sensitive | marked)
  | unique
  | reduce .[] as $path ([];
      if length > 0 and (.[-1] as $last | $path[:$last | length] == $last) then .
      else . + [$path]
      end);

def child($step):
  if type == "object" and ($step | type) == "string" then .[$step]
  elif type == "array" and ($step | type) == "number" then .[$step]
  else null
  end;

def steps($before; $after; $unknown):
  if $unknown == true then empty
  elif ($before | type) == "object" and ($after | type) == "object" then
    [$before, $after, $unknown | objects | keys_unsorted[]] | unique[]
  elif ($before | type) == "array" and ($after | type) == "array" then
    if ($before | length) == ($after | length) then range($before | length) else empty end
  else empty
  end;

def differs($before; $after; $unknown):
  if $unknown == true then true
  elif ($before | type) == "object" and ($after | type) == "object" then false
  elif ($before | type) == "array" and ($after | type) == "array" then
    ($before | length) != ($after | length)
  else $before != $after or ($unknown | holds_true)
  end;

def compare($before; $after; $unknown; $at):
  if $before == $after and ($unknown | holds_true | not) then empty
  else
    (if differs($before; $after; $unknown) then $at else empty end),
    (steps($before; $after; $unknown) as $step
     | [$before, $after, $unknown | child($step)] as [$before, $after, $unknown]
     | compare($before; $after; $unknown; $at + [$step]))
  end;

# Replaces places below a sensitive place with the sensitive place.
def cut($marks):
  map(. as $path
      | first(($marks[] | . as $mark | select($path[:$mark | length] == $mark)), $path))
  | unique;

def changed:
  if .before == null or .after == null then []
  else [compare(.before; .after; .after_unknown; [])]
  end;

# The strings of either side at or below a sensitive place.
def secrets:
  . as $change
  | [sensitive[] as $path
     | $change.before, $change.after
     | try getpath($path) catch null
     | .. | strings | select(. != "")];

def masked($secrets):
  walk(if type == "string" and (. as $text | any($secrets[]; . == $text))
       then "(sensitive value)" else . end);

def paths_of:
  sensitive as $marks
  | {
      changed: changed | cut($marks) | map(path_text),
      unknown: .after_unknown | marked | cut($marks) | map(path_text),
      sensitive: $marks | map(path_text)
    };

def resource($kind; $reason):
  .change as $change
  | {kind: $kind}
    + {address, previous_address, module_address, mode, type, name, index, deposed, provider_name}
    + {action: ($change.actions | action), actions: ($change.actions), action_reason}
    + {deferred_reason: $reason}
    + ($change | paths_of)
    + ($change | sensitive as $marks
       | {replace_paths: [.replace_paths | given | .[]
                          | [map(replace_step)] | cut($marks)[0] | path_text]})
    + {importing: ($change.importing | if . then masked($change | secrets) else null end)}
    + {generated_config: (if $change.generated_config then true else null end)}
  | .actions as $actions
  | drop_empty + {actions: $actions};

def output($name):
  {kind: "output_change", name: $name, action: (.actions | action)} + paths_of
  | drop_empty;

def invocation:
  {kind: "action_invocation", address, type, name}
  + (if .lifecycle_action_trigger then
       {trigger: "lifecycle",
        triggering_address: .lifecycle_action_trigger.triggering_resource_address}
     elif .invoke_action_trigger then {trigger: "invoke"}
     else {}
     end)
  | drop_empty;

def check:
  {kind: "check", address: .address.to_display, check_kind: .address.kind, status,
   problems: [.instances | given | .[].problems | given | .[].message | given]}
  | drop_empty;

def is_shown: .actions != ["no-op"] or .importing or (.previous_address // .address) != .address;

def counts(words): reduce words as $word ({}; .[$word] += 1);

def plan_line:
  (.actions | join(" ")) as $actions
  | (if .mode == "ephemeral" then 0 else 1 end) as $counts
  | {
      import: (if .importing then $counts else 0 end),
      add: (if ($actions | test("create")) then $counts else 0 end),
      change: (if $actions == "update" then $counts else 0 end),
      destroy: (if $actions == "delete" and .mode == "data" then 0
                elif ($actions | test("delete")) then $counts else 0 end),
      forget: (if $actions == "forget" or $actions == "forget create" then $counts else 0 end)
    };

def total(numbers): reduce numbers as $number (0; . + $number);

. as $plan
| [.resource_changes | given | .[] | resource("resource_change"; null)] as $changes
| [$changes[] | plan_line] as $lines
| {kind: "plan", schema_version: 1, source: $source, format_version, terraform_version},
  (keys_unsorted[]
   | if . == "resource_changes" then $changes[] | select(is_shown)
     elif . == "resource_drift" then $plan.resource_drift[] | resource("resource_drift"; null)
     elif . == "deferred_changes" then
       $plan.deferred_changes[] | .reason as $reason
       | .resource_change | resource("deferred_change"; $reason)
     elif . == "output_changes" then
       $plan.output_changes | to_entries[] | select(.value.actions != ["no-op"])
       | .key as $name | .value | (output($name)) + {actions}
     elif . == "action_invocations" then $plan.action_invocations[] | invocation
     elif . == "checks" then $plan.checks[] | select(.status != "pass") | check
     else empty
     end),
  {
    kind: "summary",
    bytes: $bytes,
    resource_changes: counts($changes[].action),
    resource_drift: counts($plan.resource_drift | given | .[].change.actions | action),
    output_changes: counts($plan.output_changes | given | .[].actions | action),
    deferred_changes:
      counts($plan.deferred_changes | given | .[].resource_change.change.actions | action),
    terraform: {
      import: total($lines[].import),
      add: total($lines[].add),
      change: total($lines[].change),
      destroy: total($lines[].destroy),
      forget: total($lines[].forget)
    },
    moved: ([$changes[] | select((.previous_address // .address) != .address)] | length),
    unknown_paths: total($changes[].unknown | length),
    sensitive_paths: total($changes[].sensitive | length),
    changed_paths: total($changes[].changed | length),
    checks: counts($plan.checks | given | .[].status),
    applyable: $plan.applyable,
    complete: $plan.complete,
    errored: $plan.errored,
    timestamp: $plan.timestamp
  }
