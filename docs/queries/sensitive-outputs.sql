-- Which outputs with sensitive values change in the latest night, and which lose their mark?
-- Tables: plans, outputs. Parameters: none.
select workspace, name, action, sensitive_removed is not null as loses_mark
from outputs
where dt = (select max(dt) from plans)
  and sensitive is not null
order by workspace, name;
