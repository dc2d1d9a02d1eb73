-- Who uses a source of modules, and at which version, in the latest night?
-- Tables: elements. Parameters: source, a pattern of LIKE for the source of the module.
with parameter as (select '%' as source)
select workspace, address, module_source,
  coalesce(version_constraint, '(any)') as version_constraint
from elements
where dt = (select max(dt) from elements)
  and kind = 'module_call'
  and module_source like (select source from parameter)
order by workspace, address;
