-- Which attributes force the replacement of resources in the latest night?
-- Tables: plans, paths. Parameters: none.
select type, path, count(*) as resources, count(distinct workspace) as workspaces
from paths
where dt = (select max(dt) from plans)
  and kind = 'resource_change'
  and replace_paths
group by type, path
order by resources desc, type, path;
