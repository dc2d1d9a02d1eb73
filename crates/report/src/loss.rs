//! Which changes lose something, and how severe each loss is.
//!
//! Lists of losses come in the order of [`rank`]. Losses of data come first: to replace a database
//! is worse than to destroy a rule of a firewall.

use std::sync::LazyLock;

use plansift_core::glob::Glob;
use plansift_plan::record::ResourceChange;

/// The title of a list of losses.
pub(super) const TITLE: &str = "Destroyed, replaced or forgotten";

/// Types of resources that hold data, as globs. Destroying such a resource usually destroys data
/// that no configuration can bring back. The list is a heuristic. It decides the order of lists,
/// and hides nothing.
pub(super) const DATA_TYPES: [&str; 73] = [
    // Databases, caches and search indexes.
    "*_database",
    "*_database_cluster",
    "*_database_instance",
    "*_db_cluster",
    "*_db_instance",
    "*_db_system",
    "*_rds_cluster*",
    "*_mssql_*server",
    "*_mssql_managed_instance",
    "*_mysql_*server",
    "*_postgresql_*server",
    "*_mariadb_*server",
    "*_cosmosdb_account",
    "*_docdb_cluster*",
    "*_docdbelastic_cluster",
    "*_neptune_cluster*",
    "*_redshift_cluster",
    "*_redshiftserverless_namespace",
    "*_alloydb_cluster",
    "*_spanner_instance",
    "*_bigtable_instance",
    "*_bigtable_table",
    "*_bigquery_dataset",
    "*_bigquery_table",
    "*_dynamodb_*table",
    "*_keyspaces_table",
    "*_timestreamwrite_table",
    "*_elasticache_cluster",
    "*_elasticache_replication_group",
    "*_elasticache_serverless_cache",
    "*_memorydb_cluster",
    "*_redis_cache",
    "*_redis_cluster",
    "*_redis_instance",
    "*_elasticsearch_domain",
    "*_opensearch_domain",
    "*_opensearchserverless_collection",
    "mongodbatlas_*cluster",
    "*_kv_namespace",
    // Object stores, disks and file systems.
    "*_bucket",
    "*_storage_account",
    "*_storage_container",
    "*_storage_share",
    "*_storage_table",
    "*_disk",
    "*_volume",
    "*_volume_v*",
    "*_snapshot",
    "*_snapshot_copy",
    "*_file_system",
    "*_filesystem",
    "*_filestore_instance",
    "*_persistent_volume*",
    "*_stateful_set*",
    "kubernetes_namespace*",
    // Queues, streams and logs.
    "*_queue",
    "*_kafka_cluster",
    "*_kafka_topic",
    "*_kinesis_stream",
    "*_msk_cluster",
    "*_log_group",
    "*_log_analytics_workspace",
    // Keys, secrets and users.
    "*_kms_key",
    "*_kms_crypto_key",
    "*_key_vault",
    "*_key_vault_key",
    "*_secret",
    "*_user_pool",
    // Backups and repositories.
    "*_backup_vault",
    "*_glacier_vault",
    "*_recovery_services_vault",
    "*_repository",
    "*_container_registry",
];

/// The number of ranks.
pub(super) const RANKS: usize = 5;

/// The number of ranks of losses of data, which come first.
pub(super) const DATA_RANKS: usize = 2;

/// Maximum number of losses of data that a report names, even if it names fewer of other losses.
pub(super) const DATA_LISTED: usize = 100;

/// Whether resources of a type hold data.
pub(super) fn holds_data(type_name: &str) -> bool {
    static GLOBS: LazyLock<[Glob; DATA_TYPES.len()]> = LazyLock::new(|| DATA_TYPES.map(Glob::new));
    GLOBS.iter().any(|glob| glob.matches(type_name.as_bytes()))
}

/// Returns the rank of a loss, from 0, the most severe. `None` if the change loses nothing.
///
/// First come the resources that hold data, destroyed and then replaced, and the other resources in
/// the same order. Forgotten resources come last: their objects stay.
pub(super) fn rank(change: &ResourceChange<'_>) -> Option<usize> {
    let holds_data = || change.resource.type_name.as_deref().is_some_and(holds_data);
    Some(match change.effects().next()? {
        "delete" if holds_data() => 0,
        "replace" if holds_data() => 1,
        "delete" => 2,
        "replace" => 3,
        "forget" => 4,
        _ => return None,
    })
}

/// Returns the maximum length of a list up to each rank: `of_data` for losses of data, and `listed`
/// for other losses.
pub(super) fn maxes(of_data: usize, listed: usize) -> [usize; RANKS] {
    std::array::from_fn(|rank| if rank < DATA_RANKS { of_data.max(listed) } else { listed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_hold_data_are_known_by_their_names() {
        for name in [
            "aws_db_instance",
            "aws_docdbelastic_cluster",
            "aws_dynamodb_table",
            "aws_ebs_volume",
            "aws_efs_file_system",
            "aws_elasticache_cluster",
            "aws_kms_key",
            "aws_rds_cluster",
            "aws_rds_cluster_instance",
            "aws_s3_bucket",
            "aws_secretsmanager_secret",
            "azurerm_container_registry",
            "azurerm_cosmosdb_account",
            "azurerm_key_vault",
            "azurerm_managed_disk",
            "azurerm_mssql_database",
            "azurerm_mssql_managed_instance",
            "azurerm_postgresql_flexible_server",
            "azurerm_redis_cache",
            "azurerm_storage_account",
            "azurerm_storage_data_lake_gen2_filesystem",
            "digitalocean_database_cluster",
            "google_bigquery_dataset",
            "google_compute_disk",
            "google_sql_database_instance",
            "google_storage_bucket",
            "kubernetes_persistent_volume_claim",
            "openstack_blockstorage_volume_v3",
        ] {
            assert!(holds_data(name), "{name}");
        }
        for name in [
            "aws_db_subnet_group",
            "aws_iam_role",
            "aws_instance",
            "aws_route53_record",
            "aws_s3_bucket_policy",
            "aws_security_group_rule",
            "aws_volume_attachment",
            "azurerm_resource_group",
            "google_storage_bucket_iam_member",
            "kubernetes_deployment",
            "null_resource",
        ] {
            assert!(!holds_data(name), "{name}");
        }
    }

    #[test]
    fn the_manual_lists_the_types_that_hold_data() {
        let manual = include_str!("../../../docs/commands/summary.md");
        for glob in DATA_TYPES {
            assert!(manual.contains(&format!("`{glob}`")), "{glob}");
        }
    }
}
