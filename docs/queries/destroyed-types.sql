-- Which types of resources does the fleet destroy most in the latest night?
-- A replacement counts as well, because it destroys the old resource.
-- Tables: plans, resource_changes. Parameters: none.
select type, count(*) as destroyed, count(distinct workspace) as workspaces
from resource_changes
where dt = (select max(dt) from plans)
  and kind = 'resource_change'
  and coalesce(mode, 'managed') = 'managed'
  and array_contains(actions, 'delete')
group by type
order by destroyed desc, type;
