-- Which checks fail in the latest night, and since which night do they fail without a pause?
-- A pause is a night with a complete plan of the workspace in which the check does not fail. A plan
-- that cannot be read, or that Terraform marked as errored, is not complete.
-- Tables: plans, checks. Parameters: none.
with failing as (
  select dt, workspace, address, check_kind, status
  from checks
  where status in ('fail', 'error')
),
complete as (
  select distinct dt, workspace from plans where status = 'done' and not coalesce(errored, false)
),
pauses as (
  select failures.workspace, failures.address, max(complete.dt) as last_pause
  from (select distinct workspace, address from failing) as failures
  join complete on complete.workspace = failures.workspace
  left join failing
    on failing.workspace = failures.workspace
    and failing.address = failures.address
    and failing.dt = complete.dt
  where failing.address is null
  group by failures.workspace, failures.address
),
beginnings as (
  select failing.workspace, failing.address, min(failing.dt) as failing_since
  from failing
  left join pauses
    on pauses.workspace = failing.workspace
    and pauses.address = failing.address
  where pauses.last_pause is null or failing.dt > pauses.last_pause
  group by failing.workspace, failing.address
)
select failing.workspace, failing.address, failing.check_kind, failing.status, beginnings.failing_since
from failing
join beginnings
  on beginnings.workspace = failing.workspace
  and beginnings.address = failing.address
where failing.dt = (select max(dt) from plans)
order by failing.workspace, failing.address;
