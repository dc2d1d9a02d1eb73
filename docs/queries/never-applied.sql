-- Which changes does nobody apply: the plan has the same action in each of the last n nights?
-- Tables: plans, resource_changes. Parameters: nights, the number of nights.
with parameter as (select 3 as nights),
recent as (
  select dt, row_number() over (order by dt desc) as age
  from (select distinct dt from plans) as dates
)
select changes.workspace, changes.address, changes.action
from resource_changes as changes
join recent on recent.dt = changes.dt
where changes.kind = 'resource_change'
  and coalesce(changes.mode, 'managed') = 'managed'
  and changes.action <> 'no-op'
  and recent.age <= (select nights from parameter)
group by changes.workspace, changes.address, changes.action
having count(distinct changes.dt) = (select nights from parameter)
order by changes.workspace, changes.address, changes.action;
