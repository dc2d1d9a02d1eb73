-- Which resources does the latest night import, move or forget?
-- Tables: plans, resource_changes. Parameters: none.
select workspace, address,
  importing is not null as imported,
  case when previous_address <> address then previous_address end as moved_from,
  array_contains(actions, 'forget') as forgotten
from resource_changes
where dt = (select max(dt) from plans)
  and kind = 'resource_change'
  and (importing is not null or previous_address <> address or array_contains(actions, 'forget'))
order by workspace, address, forgotten;
