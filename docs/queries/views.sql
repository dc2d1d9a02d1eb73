-- Makes the views that the queries read, in DuckDB. Run it in the folder that has `tables`.
-- The last view needs the tables of `plansift config`; the queries without `elements` do without it.
create view plans as from read_parquet(
  'tables/plans/*/*.parquet', hive_partitioning = true, union_by_name = true);
create view resource_changes as from read_parquet(
  'tables/resource_changes/*/*.parquet', hive_partitioning = true, union_by_name = true);
create view drift as from read_parquet(
  'tables/drift/*/*.parquet', hive_partitioning = true, union_by_name = true);
create view outputs as from read_parquet(
  'tables/outputs/*/*.parquet', hive_partitioning = true, union_by_name = true);
create view checks as from read_parquet(
  'tables/checks/*/*.parquet', hive_partitioning = true, union_by_name = true);
create view paths as from read_parquet(
  'tables/paths/*/*.parquet', hive_partitioning = true, union_by_name = true);
create view elements as from read_parquet(
  'tables/config/*/elements.parquet', hive_partitioning = true, union_by_name = true);
