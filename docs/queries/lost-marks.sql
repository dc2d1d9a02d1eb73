-- Which values of resources lose their sensitive mark in the latest night?
-- Tables: plans, paths. Parameters: none.
select workspace, address, path
from paths
where dt = (select max(dt) from plans)
  and kind = 'resource_change'
  and sensitive_removed
order by workspace, address, path;
