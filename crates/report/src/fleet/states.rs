//! Draws the contents of states: the totals, a row for each workspace, and the types, modules and
//! providers with the most resources.

use std::collections::BTreeMap;

use super::rows::without_registry;
use super::{Shape, WORKSPACES_MAX};
use crate::phrase::counted;
use crate::screen::{BOLD, DIM, Screen, fit, fit_end, padded, width};
use crate::tool::Tool;
use plansift_core::inert::visible;
use plansift_plan::record::Label;
use plansift_plan::record::state_counts::{Group, GroupKey, Groups, StateCounts};

const LISTED: usize = 8;
/// Width of a number, in columns.
const NUMBER: usize = 11;

#[derive(Debug, Default)]
pub(super) struct States {
    all: StateCounts,
    /// The numbers of resources and outputs of each workspace. Workspaces beyond [`WORKSPACES_MAX`]
    /// count only in the totals.
    workspaces: BTreeMap<String, [u64; 2]>,
}

impl States {
    pub(super) fn is_empty(&self) -> bool {
        self.all.states == 0
    }

    pub(super) fn add(&mut self, label: Label<'_>, state_counts: &StateCounts) {
        let name = label.workspace.unwrap_or(label.source);
        if self.workspaces.len() < WORKSPACES_MAX || self.workspaces.contains_key(name) {
            let counts = self.workspaces.entry(name.to_owned()).or_default();
            counts[0] += resources(state_counts);
            counts[1] += state_counts.outputs;
        }
        self.all.take(state_counts.clone());
    }

    /// Draws the page. With a grouping, draws only that grouping's list. States have no actions, so
    /// grouping by action has no effect.
    pub(super) fn draw(&self, screen: Screen, shape: &Shape) -> String {
        let mut page = Page { text: String::new(), screen, top: shape.top.unwrap_or(LISTED) };
        let only = match shape.by {
            Some(super::FleetGrouping::Type) => Some(GroupKey::Type),
            Some(super::FleetGrouping::Module) => Some(GroupKey::Module),
            Some(super::FleetGrouping::Provider) => Some(GroupKey::Provider),
            None | Some(super::FleetGrouping::Workspace | super::FleetGrouping::Action) => None,
        };
        let is_by_workspace = shape.by == Some(super::FleetGrouping::Workspace);
        page.line(&screen.paint(BOLD, &self.title(screen.width)));
        page.line("");
        page.line(&screen.paint(BOLD, &fit(&sentence(&self.all), screen.width)));
        if is_by_workspace || self.all.states > 1 && only.is_none() {
            let mut rows: Vec<_> = self.workspaces.iter().collect();
            rows.sort_by_key(|(_, counts)| std::cmp::Reverse(counts[0]));
            let rows = rows.into_iter().map(|(name, counts)| (name.as_str(), *counts)).collect();
            page.list("workspace", ["resources", "outputs"], rows);
        }
        for groups in &self.all.groups {
            let rows = groups.largest_first();
            let is_shown = match only {
                Some(only) => groups.by() == only,
                None if is_by_workspace => false,
                None => groups.by() != GroupKey::Module || rows.len() > 1,
            };
            if !is_shown {
                continue;
            }
            let rows = rows.iter().map(|group| row(groups.by(), group)).collect();
            page.list(groups.by().word(), ["resources", "states"], rows);
        }
        page.text
    }

    /// Returns the name of the only state and its tool, or the number of states.
    fn title(&self, columns: usize) -> String {
        if self.all.states != 1 {
            return format!("{} states", self.all.states);
        }
        let providers = self.all.groups.iter().filter(|groups| groups.by() == GroupKey::Provider);
        let providers = providers.flat_map(Groups::largest_first);
        // Without a provider from a tool's registry, either tool may have made the state.
        let tools = providers.filter_map(|group| Tool::of_provider(group.name));
        let tool = tools.reduce(Tool::and).unwrap_or(Tool::Both).name();
        let version = self.all.terraform_version.as_ref().map_or(String::new(), |version| {
            fit(&format!("  made by {tool} {}", visible(version)), columns / 2)
        });
        let name = self.workspaces.keys().next().map(|name| visible(name)).unwrap_or_default();
        fit_end(&name, columns - width(&version)) + &version
    }
}

fn resources(state_counts: &StateCounts) -> u64 {
    state_counts.managed + state_counts.others + state_counts.deposed
}

fn row<'g>(by: GroupKey, group: &Group<'g>) -> (&'g str, [u64; 2]) {
    let name = match by {
        GroupKey::Module if group.name.is_empty() => "(root module)",
        GroupKey::Provider => without_registry(group.name),
        _ => group.name,
    };
    (name, [group.resources, group.documents])
}

/// Returns the totals in words.
fn sentence(all: &StateCounts) -> String {
    let mut parts = vec![counted(all.managed, "managed resource")];
    let others = [
        (all.others, counted(all.others, "data source")),
        (all.deposed, counted(all.deposed, "deposed object")),
        (all.tainted, format!("{} tainted", all.tainted)),
        (all.sensitive, format!("{} with sensitive values", all.sensitive)),
        (all.outputs, counted(all.outputs, "output")),
    ];
    parts.extend(others.into_iter().filter(|(number, _)| *number > 0).map(|(_, words)| words));
    parts.join(", ") + "."
}

struct Page {
    text: String,
    screen: Screen,
    top: usize,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Draws a list of names with two numbers each.
    fn list(&mut self, title: &str, columns: [&str; 2], rows: Vec<(&str, [u64; 2])>) {
        if rows.is_empty() {
            return;
        }
        let shown: Vec<_> =
            rows.iter().take(self.top).map(|(name, numbers)| (visible(name), numbers)).collect();
        let longest = shown.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
        let room = longest.max(title.len()).min(self.screen.width - 2 - 2 * NUMBER);
        let [first, second] = columns;
        let heading = format!("  {title:<room$}{first:>NUMBER$}{second:>NUMBER$}");
        self.line("");
        self.line(&self.screen.paint(DIM, &heading));
        for (name, [first, second]) in shown {
            let name = padded(&fit_end(&name, room), room);
            self.line(&format!("  {name}{first:>NUMBER$}{second:>NUMBER$}"));
        }
        if rows.len() > self.top {
            let more = format!("  and {} more", rows.len() - self.top);
            self.line(&self.screen.paint(DIM, &more));
        }
    }
}
