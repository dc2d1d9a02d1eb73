-- Which versions of providers do the configurations of the latest night require?
-- Tables: elements. Parameters: none.
select coalesce(full_name, name) as provider,
  coalesce(version_constraint, '(any)') as version_constraint,
  count(distinct workspace) as workspaces
from elements
where dt = (select max(dt) from elements)
  and kind = 'provider'
group by coalesce(full_name, name), coalesce(version_constraint, '(any)')
order by provider, workspaces desc, version_constraint;
