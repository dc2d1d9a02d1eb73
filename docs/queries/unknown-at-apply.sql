-- Which attributes of existing resources does the latest night know only after the apply?
-- An existing resource is one that the plan updates. A replacement makes a new resource, and most new
-- resources have an unknown id. A data source is no resource.
-- Tables: plans, paths. Parameters: none.
select type, path, count(*) as resources, count(distinct workspace) as workspaces
from paths
where dt = (select max(dt) from plans)
  and kind = 'resource_change'
  and action = 'update'
  and unknown
group by type, path
order by resources desc, type, path;
