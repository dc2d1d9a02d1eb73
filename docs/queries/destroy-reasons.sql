-- Why does the fleet delete or replace resources in the latest night?
-- The reason is the word of the plan, such as delete_because_no_resource_config.
-- Tables: plans, resource_changes. Parameters: none.
select action, coalesce(action_reason, '(none)') as reason, count(*) as resources,
  count(distinct workspace) as workspaces
from resource_changes
where dt = (select max(dt) from plans)
  and kind = 'resource_change'
  and coalesce(mode, 'managed') = 'managed'
  and array_contains(actions, 'delete')
group by action, coalesce(action_reason, '(none)')
order by resources desc, action, reason;
