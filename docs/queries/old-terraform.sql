-- Which workspaces have plans of a Terraform or OpenTofu below a version, in the latest night?
-- Versions compare by their three numbers; a prerelease such as 1.10.0-rc1 is below 1.10.0. The
-- plans of OpenTofu have the version of OpenTofu.
-- Tables: plans. Parameters: version, the lowest version that is not listed.
with parameter as (select '1.10.0' as version),
versions as (
  select terraform_version as version from plans
  union
  select version from parameter
),
ranked as (
  select version,
    try_cast(split_part(version, '.', 1) as bigint) * 1000000
      + coalesce(try_cast(split_part(version, '.', 2) as bigint), 0) * 1000
      + coalesce(try_cast(split_part(split_part(version, '-', 1), '.', 3) as bigint), 0)
      - case when version like '%-%' then 0.5 else 0 end as place
  from versions
)
select plans.workspace, plans.terraform_version
from plans
join ranked on ranked.version = plans.terraform_version
where plans.dt = (select max(dt) from plans)
  and ranked.place < (select place from ranked join parameter on parameter.version = ranked.version)
order by ranked.place, plans.workspace;
