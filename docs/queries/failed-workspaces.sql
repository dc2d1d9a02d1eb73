-- Which workspaces failed in the latest night, why, and in how many nights did they fail?
-- A workspace fails if its plan cannot be read, or if Terraform marked the plan as errored.
-- Tables: plans. Parameters: none.
with failures as (
  select dt, workspace, coalesce(error, 'Terraform marked the plan as errored') as error
  from plans
  where status = 'failed' or errored
),
counted as (
  select workspace, count(distinct dt) as nights from failures group by workspace
)
select failures.workspace, failures.error, counted.nights
from failures
join counted on counted.workspace = failures.workspace
where failures.dt = (select max(dt) from plans)
order by failures.workspace, failures.error;
