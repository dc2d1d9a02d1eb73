//! Which changes lose something, how severe each loss is, and which changes concern access.
//!
//! Lists of losses come in the order of [`rank`]. Losses of data come first: to replace a database
//! is worse than to destroy a rule of a firewall.

use crate::phrase;
use crate::short::short;
use plansift_core::path::TypeSet;
use plansift_plan::record::{ResourceChange, SummaryLoss};

/// The title of a list of losses.
pub(super) const TITLE: &str = "Destroyed, replaced or forgotten";

/// The number of ranks.
pub(super) const RANKS: usize = 5;

/// The number of ranks of losses of data, which come first.
pub(super) const DATA_RANKS: usize = 2;

/// Maximum number of losses of data that a report names, even if it names fewer of other losses.
pub(super) const DATA_LISTED: usize = 100;

/// Maximum number of losses of a list for programs.
pub(super) const LISTED: usize = 1000;

/// Maximum number of paths that force the replacement of a listed loss.
const FORCING: usize = 3;

/// Whether resources of a type hold data. The set is a guess from names. It decides the order of
/// lists, and hides nothing.
pub(super) fn holds_data(type_name: &str) -> bool {
    TypeSet::data().has(type_name)
}

/// Whether resources of a type decide who may do something, or what can be reached from where. The
/// sets are a guess from names. They decide the order of the compact report, and hide nothing.
pub(super) fn is_access(type_name: &str) -> bool {
    TypeSet::access().has(type_name) || TypeSet::network().has(type_name)
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

/// Describes a loss for programs. `plan` names the plan, if there are several.
pub(super) fn described(change: &ResourceChange<'_>, plan: Option<&str>) -> SummaryLoss {
    let short = |text: &str| short(text).into_owned();
    let paths = change.replace_paths.iter().map(|path| short(&path.to_string()));
    SummaryLoss {
        plan: plan.map(short),
        action: change.effects().next().unwrap_or_default(),
        address: short(&change.label()),
        deposed: change.resource.deposed.as_deref().map(short),
        holds_data: change.resource.type_name.as_deref().is_some_and(holds_data),
        reason: phrase::reason(change, |_, text| short(text)),
        replace_paths: paths.take(FORCING).collect(),
        moved_from: change.moved_from().map(short),
        impact: change.impact.clone(),
    }
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
            "aws_rds_global_cluster",
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
            "aws_batch_job_queue",
            "aws_db_subnet_group",
            "aws_iam_role",
            "aws_instance",
            "aws_rds_cluster_parameter_group",
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
}
