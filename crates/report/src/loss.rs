//! Which changes lose something, how severe each loss is, and which changes concern access.
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

/// Types of resources that decide who may do something, or what can be reached from where, as
/// globs. The list is a heuristic. It decides the order of the compact report, and hides nothing.
pub(super) const ACCESS_TYPES: [&str; 70] = [
    // Identities and permissions.
    "*_iam_*",
    "*_policy_attachment",
    "*_bucket_policy",
    "*_bucket_acl",
    "*_bucket_ownership_controls",
    "*_bucket_public_access_block",
    "*_account_public_access_block",
    "*_default_object_acl",
    "*_bucket_access_control",
    "*_object_access_control",
    "*_queue_policy",
    "*_topic_policy",
    "*_key_policy",
    "*_kms_grant",
    "*_secret_policy",
    "*_repository_policy",
    "*_domain_policy",
    "*_vault_policy",
    "*_resource_policy",
    "*_lambda_permission",
    "*_lambda_function_url",
    "*_organizations_policy*",
    "*_ssoadmin_*",
    "*_identitystore_*",
    "*_role",
    "*_role_v*",
    "*_role_binding*",
    "*_role_assignment",
    "*_role_definition",
    "*_cluster_role*",
    "*_access_policy",
    "*_access_entry",
    "*_access_key",
    "*_service_account*",
    "*_service_principal*",
    "*_federated_identity_credential",
    "*_user_assigned_identity",
    "azuread_*",
    "*_org_policy*",
    "*_organization_policy",
    "*_collaborator*",
    "*_branch_protection*",
    "*_deploy_key",
    // Firewalls and exposure.
    "*_security_group",
    "*_security_group_v*",
    "*_security_group_rule",
    "*_security_group_rule_v*",
    "*_security_group_*_rule",
    "*_secgroup_*",
    "*_network_security_*",
    "*_security_list",
    "*_network_acl*",
    "*_network_policy*",
    "*_firewall*",
    "*_security_policy*",
    "*_waf*",
    "*_public_ip",
    "*_eip",
    "*_eip_association",
    "*_internet_gateway",
    // Routes between networks.
    "*_route",
    "*_route_table",
    "*_vpc_endpoint",
    "*_vpc_endpoint_policy",
    "*_vpc_peering_*",
    "*_network_peering*",
    "*_transit_gateway_*",
    "*_private_endpoint",
    "*_ingress",
    "*_ingress_v*",
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

/// Whether resources of a type decide who may do something, or what can be reached from where.
pub(super) fn is_access(type_name: &str) -> bool {
    static GLOBS: LazyLock<[Glob; ACCESS_TYPES.len()]> =
        LazyLock::new(|| ACCESS_TYPES.map(Glob::new));
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

    #[test]
    fn types_of_access_and_network_are_known_by_their_names() {
        for name in [
            "aws_eip",
            "aws_eks_access_entry",
            "aws_iam_policy",
            "aws_iam_role",
            "aws_iam_role_policy_attachment",
            "aws_internet_gateway",
            "aws_kms_key_policy",
            "aws_lambda_permission",
            "aws_network_acl_rule",
            "aws_route",
            "aws_s3_bucket_policy",
            "aws_s3_bucket_public_access_block",
            "aws_security_group",
            "aws_security_group_rule",
            "aws_sns_topic_policy",
            "aws_ssoadmin_account_assignment",
            "aws_vpc_security_group_ingress_rule",
            "aws_wafv2_web_acl",
            "azuread_application",
            "azurerm_firewall_policy",
            "azurerm_key_vault_access_policy",
            "azurerm_network_security_rule",
            "azurerm_public_ip",
            "azurerm_role_assignment",
            "azurerm_user_assigned_identity",
            "cloudflare_firewall_rule",
            "digitalocean_firewall",
            "github_repository_collaborator",
            "google_compute_firewall",
            "google_compute_security_policy",
            "google_project_iam_member",
            "google_service_account_key",
            "google_storage_bucket_access_control",
            "kubernetes_cluster_role_binding",
            "kubernetes_ingress_v1",
            "kubernetes_network_policy",
            "kubernetes_role",
            "openstack_networking_secgroup_rule_v2",
            "postgresql_role",
        ] {
            assert!(is_access(name), "{name}");
        }
        for name in [
            "aws_autoscaling_policy",
            "aws_cloudwatch_metric_alarm",
            "aws_db_instance",
            "aws_instance",
            "aws_lambda_function",
            "aws_lb_listener_rule",
            "aws_route53_record",
            "aws_s3_bucket",
            "azurerm_resource_group",
            "google_compute_instance",
            "kubernetes_deployment",
            "null_resource",
            "random_password",
        ] {
            assert!(!is_access(name), "{name}");
        }
    }

    #[test]
    fn the_manual_lists_the_types_of_access_and_network() {
        let manual = include_str!("../../../docs/commands/report.md");
        for glob in ACCESS_TYPES {
            assert!(manual.contains(&format!("`{glob}`")), "{glob}");
        }
    }
}
