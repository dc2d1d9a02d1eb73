-- Which modules destroy something in the latest night, in any workspace?
-- A module counts under its source. The path of a module ends at its first instance key, so a
-- resource of module.a["x"].module.b counts under the source of module.a.
-- Tables: plans, resource_changes, elements. Parameters: none.
with destroyed as (
  select dt, workspace, split_part(module_address, '[', 1) as module
  from resource_changes
  where dt = (select max(dt) from plans)
    and kind = 'resource_change'
    and coalesce(mode, 'managed') = 'managed'
    and array_contains(actions, 'delete')
),
named as (
  select destroyed.workspace,
    case
      when destroyed.module is null then '(root module)'
      else coalesce(calls.module_source, '(not in the configuration)')
    end as module_source
  from destroyed
  left join elements as calls
    on calls.kind = 'module_call'
    and calls.dt = destroyed.dt
    and calls.workspace = destroyed.workspace
    and calls.address = destroyed.module
)
select module_source, count(*) as destroyed, count(distinct workspace) as workspaces
from named
group by module_source
order by destroyed desc, module_source;
