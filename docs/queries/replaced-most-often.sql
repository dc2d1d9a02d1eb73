-- Which resources does the plan replace in at least n nights?
-- Tables: resource_changes. Parameters: nights, the smallest number of nights.
with parameter as (select 2 as nights)
select workspace, address, count(distinct dt) as nights
from resource_changes
where kind = 'resource_change'
  and array_contains(actions, 'create')
  and array_contains(actions, 'delete')
group by workspace, address
having count(distinct dt) >= (select nights from parameter)
order by nights desc, workspace, address;
