-- Which attributes of existing resources does the latest night know only after the apply?
-- Attributes of new resources are left out: most new resources have an unknown id.
-- Tables: plans, paths. Parameters: none.
select type, path, count(*) as resources, count(distinct workspace) as workspaces
from paths
where dt = (select max(dt) from plans)
  and kind = 'resource_change'
  and action <> 'create'
  and unknown
group by type, path
order by resources desc, type, path;
