-- Which attributes drift most, in all nights?
-- Tables: paths. Parameters: none.
select type, path, count(*) as drifts, count(distinct workspace) as workspaces,
  count(distinct dt) as nights
from paths
where kind = 'resource_drift'
  and changed
group by type, path
order by drifts desc, type, path;
