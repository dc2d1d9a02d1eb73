-- Which checks fail in the latest night, and in which night did they fail first?
-- Tables: plans, checks. Parameters: none.
with failing as (
  select dt, workspace, address, check_kind, status
  from checks
  where status in ('fail', 'error')
),
beginnings as (
  select workspace, address, min(dt) as first_failed from failing group by workspace, address
)
select failing.workspace, failing.address, failing.check_kind, failing.status, beginnings.first_failed
from failing
join beginnings
  on beginnings.workspace = failing.workspace
  and beginnings.address = failing.address
where failing.dt = (select max(dt) from plans)
order by failing.workspace, failing.address;
