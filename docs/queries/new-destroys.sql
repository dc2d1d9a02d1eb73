-- Which resources would the latest night destroy that the night before would not?
-- A workspace without a readable plan in the night before is new with all that it destroys.
-- Tables: plans, resource_changes. Parameters: none.
with nights as (
  select dt, row_number() over (order by dt desc) as age
  from (select distinct dt from plans) as dates
),
destroys as (
  select distinct nights.age, changes.workspace, changes.address, changes.action
  from resource_changes as changes
  join nights on nights.dt = changes.dt
  where changes.kind = 'resource_change'
    and coalesce(changes.mode, 'managed') = 'managed'
    and array_contains(changes.actions, 'delete')
)
select latest.workspace, latest.address, latest.action
from destroys as latest
left join destroys as earlier
  on earlier.age = 2
  and earlier.workspace = latest.workspace
  and earlier.address = latest.address
where latest.age = 1 and earlier.address is null
order by latest.workspace, latest.address, latest.action;
