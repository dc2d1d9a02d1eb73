// What the script adds to the overview: facts, the bar of actions, and buttons in the tables.

/** Adds to the head of the page and to its tables. */
function overview() {
  const [title, line] = ["title", "line"].map((id) => one(id).textContent);
  document.title = [title, line].filter(Boolean).join(" – ");
  if (plans.length === 1) one("facts").textContent = facts(plans[0]);
  bar();
  table("plans", (text) => {
    const place = plans.findIndex((plan) => name(plan) === text);
    return place < 0 ? undefined : () => choose("plan", place);
  });
  const types = new Set(rows.change.map(({ type }) => type));
  table("types", (text) => types.has(text) && (() => choose("type", text)));
}

/** What else there is to say of a plan. */
function facts({ source, workspace, summary, terraform_version, format_version }) {
  const version = terraform_version ?? summary?.terraform_version;
  const all = [workspace && source];
  if (summary) {
    const resources = total(summary.resource_changes);
    // An element of `resource_drift` with the action `no-op` only moved.
    const recorded = summary.resource_drift?.["no-op"] ?? 0;
    const drift = total(summary.resource_drift ?? {}) - recorded;
    const moved = summary.moved || recorded;
    const same = summary.resource_changes["no-op"] ?? 0;
    const attributes = [
      `${count(summary.changed_paths, "attribute")} changed`,
      `${format(summary.unknown_paths)} known after apply`,
      `${format(summary.sensitive_paths)} sensitive`,
    ];
    all.push(
      `${count(resources, "resource")}, of which ${format(same)} stay as they are`,
      moved > 0 && `${format(moved)} moved`,
      drift > 0 && `${format(drift)} changed outside of ${toolOf([summary])} (drift)`,
      attributes.join(", "),
      summary.timestamp && `planned ${summary.timestamp}`,
    );
  }
  all.push(
    version && `${toolOf([summary])} ${version}`,
    format_version && `format ${format_version}`,
  );
  return all.filter(Boolean).join(" · ");
}

/** How the actions share the changes. */
function bar() {
  one("legend").hidden = rows.change.length === 0;
  for (const [action, number] of tally(rows.change)) {
    const part = make("span", action);
    part.style.flexGrow = number;
    one("bar").append(part);
    one("legend").append(
      make("li", action, ...signed(action), " ", make("span", "number", format(number))),
    );
  }
}

/** Rows by action, in the order of actions. */
function tally(list) {
  const numbers = new Map();
  for (const { group } of list) numbers.set(group, (numbers.get(group) ?? 0) + 1);
  return [...numbers].sort(([a], [b]) => ACTIONS.indexOf(a) - ACTIONS.indexOf(b));
}

