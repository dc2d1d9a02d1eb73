-- Which resources drift in at least n of the last m nights?
-- A moved resource is no drift. A resource without an address (Terraform 1.0) gets one from its type
-- and name.
-- Tables: plans, drift. Parameters: nights, the smallest number of nights with drift; last_nights,
-- the number of nights that count.
with parameter as (select 3 as nights, 5 as last_nights),
recent as (
  select dt, row_number() over (order by dt desc) as age
  from (select distinct dt from plans) as dates
),
drifted as (
  select drift.dt, drift.workspace,
    coalesce(drift.address, drift.type || '.' || drift.name) as address
  from drift
  join recent on recent.dt = drift.dt
  where drift.kind = 'resource_drift'
    and drift.action <> 'no-op'
    and recent.age <= (select last_nights from parameter)
)
select workspace, address, count(distinct dt) as nights
from drifted
group by workspace, address
having count(distinct dt) >= (select nights from parameter)
order by nights desc, workspace, address;
