-- Which workspaces would change most if someone applied the plans of the latest night?
-- The counts are those of the plan line, so a replacement counts in `adds` and in `destroys`.
-- Tables: plans. Parameters: none.
select workspace, terraform_destroy as destroys, terraform_change as changes, terraform_add as adds,
  terraform_destroy + terraform_change + terraform_add as total
from plans
where dt = (select max(dt) from plans)
  and terraform_destroy + terraform_change + terraform_add > 0
order by destroys desc, total desc, workspace;
