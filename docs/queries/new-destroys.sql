-- Which resources would the latest night destroy that the plan before would not?
-- The plan before is the last complete plan of the workspace in an earlier night. A plan that cannot
-- be read, or that Terraform marked as errored, is not complete. Without a plan before, every destroy
-- of the workspace is new.
-- Tables: plans, resource_changes. Parameters: none.
with before as (
  select workspace, max(dt) as dt
  from plans
  where status = 'done'
    and not coalesce(errored, false)
    and dt < (select max(dt) from plans)
  group by workspace
),
destroys as (
  select distinct dt, workspace, address, action
  from resource_changes
  where kind = 'resource_change'
    and coalesce(mode, 'managed') = 'managed'
    and array_contains(actions, 'delete')
),
earlier as (
  select destroys.workspace, destroys.address
  from destroys
  join before on before.workspace = destroys.workspace and before.dt = destroys.dt
)
select latest.workspace, latest.address, latest.action
from destroys as latest
left join earlier
  on earlier.workspace = latest.workspace
  and earlier.address = latest.address
where latest.dt = (select max(dt) from plans)
  and earlier.address is null
order by latest.workspace, latest.address, latest.action;
