-- Which resources flap: their planned action changes at least n times between nights?
-- A resource without a record in a complete plan stays as it is in that night. A night does not count
-- if the plan of the workspace cannot be read, or if Terraform marked it as errored.
-- Tables: plans, resource_changes. Parameters: turns, the smallest number of changes of the action.
with parameter as (select 3 as turns),
nights as (
  select distinct workspace, dt from plans where status = 'done' and not coalesce(errored, false)
),
planned as (
  select workspace, address, dt, min(action) as action
  from resource_changes
  where kind = 'resource_change'
    and coalesce(mode, 'managed') = 'managed'
    and deposed is null
  group by workspace, address, dt
),
resources as (
  select distinct workspace, address from planned
),
actions as (
  select resources.workspace, resources.address, nights.dt,
    coalesce(planned.action, 'no-op') as action
  from resources
  join nights on nights.workspace = resources.workspace
  left join planned
    on planned.workspace = resources.workspace
    and planned.address = resources.address
    and planned.dt = nights.dt
),
pairs as (
  select workspace, address, action,
    lag(action) over (partition by workspace, address order by dt) as previous
  from actions
)
select workspace, address, count(*) as turns
from pairs
where action <> previous
group by workspace, address
having count(*) >= (select turns from parameter)
order by turns desc, workspace, address;
