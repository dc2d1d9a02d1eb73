// What the plans do: sentences, warnings, counts by action, by type and by plan.

const UNLISTED =
  "This document has no list of changes (resource_changes): what the plan changes is not known.";

const INCOMPLETE =
  "This plan is not complete: applying it will leave changes for another plan.";

/** A line about something that fails a run or hides changes. */
const failure = (text) => make("li", "warning", text);
/** A line about something that a reader should know. */
const caution = (text) => make("li", "warning mild", text);

/** What a reader of a plan must know before anything else. */
function warnings({ summary, error, rows, hidden }) {
  if (error) return [failure(`could not be read${rows > 0 ? " to its end" : ""}: ${error}`)];
  const deferred = total(summary.deferred_changes);
  const failed = failedChecks(summary);
  const isIncomplete = summary.complete === false && deferred === 0;
  return [
    ...(summary.broken ?? []).map(broken),
    failed > 0 && failure(`${count(failed, "check")} failed.`),
    summary.errored && failure("Planning failed: this plan is incomplete."),
    summary.lacks_resource_changes && failure(UNLISTED),
    isIncomplete && caution(INCOMPLETE),
    deferred > 0 && caution("Some changes are deferred to a later plan."),
    hidden && caution(`Not shown, as asked for: ${hidden}.`),
  ].filter(Boolean);
}

/** A rule that a plan breaks or an assertion that it fails, as a sentence. */
function broken({ rule, is_assertion, severity, words, message }) {
  const text = [`${rule}: ${words}`, message].filter(Boolean).join(": ");
  const title = is_assertion ? "Assertion failed" : "Rule broken";
  const isWarning = severity === "warning";
  return isWarning
    ? caution(`Warning, ${title.toLowerCase()}: ${text}`)
    : failure(`${title}: ${text}`);
}

/** How many checks came to no good. */
const failedChecks = ({ checks }) => BAD.reduce((sum, word) => sum + (checks?.[word] ?? 0), 0);

/** The plan lines of all plans that were read, as one. */
function sum() {
  const line = { import: 0, add: 0, change: 0, destroy: 0, forget: 0, invoke: 0 };
  for (const { summary } of plans) {
    const numbers = { ...summary?.terraform, invoke: summary?.invocations };
    for (const word of Object.keys(line)) line[word] += numbers[word] ?? 0;
  }
  return line;
}

function sentence(line) {
  const parts = [
    line.import && `${line.import} to import`,
    `${line.add} to add`,
    `${line.change} to change`,
    `${line.destroy} to destroy`,
    line.forget && `${line.forget} to forget`,
  ];
  const actions = line.invoke ? ` Actions: ${line.invoke} to invoke.` : "";
  return `All plans: ${parts.filter(Boolean).join(", ")}.${actions}`;
}

/** Fills the head of the page and its tables. */
function overview() {
  const [plan] = plans;
  const isOne = plans.length === 1;
  const title = isOne ? name(plan) : plans.length ? count(plans.length, "plan") : "No plans";
  const line = isOne ? (plan.summary?.line ?? "") : plans.length ? sentence(sum()) : "";
  document.title = [title, line].filter(Boolean).join(" – ");
  one("title").textContent = title;
  one("line").textContent = line;
  const all = isOne ? warnings(plan) : warningsOfMany();
  one("warnings").append(...all);
  one("warnings").hidden = all.length === 0;
  if (isOne) one("facts").textContent = facts(plan);
  bar();
  if (plans.length > 1) planTable();
  typeTable();
}

function warningsOfMany() {
  const read = plans.filter((plan) => plan.summary);
  const failed = plans.length - read.length;
  const errored = read.filter((plan) => plan.summary.errored).length;
  const unlisted = read.filter((plan) => plan.summary.lacks_resource_changes).length;
  const deferred = read.filter((plan) => total(plan.summary.deferred_changes) > 0).length;
  const breaking = read.filter((plan) => plan.summary.broken).length;
  const checks = read.reduce((sum, plan) => sum + failedChecks(plan.summary), 0);
  const brokenRules = read.flatMap((plan) => plan.summary.broken ?? []);
  const isFailure = brokenRules.some(({ severity }) => severity !== "warning");
  const rules = isFailure ? failure : caution;
  const hasRules = brokenRules.some(({ is_assertion }) => !is_assertion);
  const hasAssertions = brokenRules.some(({ is_assertion }) => is_assertion);
  const both = "Rules are broken and assertions not met";
  const one = hasRules ? "Rules are broken" : "Assertions are not met";
  const sentence = hasRules && hasAssertions ? both : one;
  return [
    breaking && rules(`${sentence} by ${count(breaking, "plan")}.`),
    checks > 0 && failure(`${count(checks, "check")} failed.`),
    failed && failure(`${count(failed, "plan")} could not be read: the counts are not complete.`),
    errored && failure(`Planning failed in ${count(errored, "plan")}.`),
    unlisted &&
      failure(`${count(unlisted, "document")} without a list of changes (resource_changes).`),
    deferred &&
      caution(`${count(deferred, "plan")} with changes that are deferred to a later plan.`),
    read.some((plan) => plan.hidden) && caution("Not everything is shown, as asked for."),
  ].filter(Boolean);
}

/** What else there is to say of a plan. */
function facts({ source, workspace, summary, terraform_version, format_version }) {
  const version = terraform_version ?? summary?.terraform_version;
  const all = [workspace && source];
  if (summary) {
    const resources = total(summary.resource_changes);
    const drift = total(summary.resource_drift ?? {});
    const same = summary.resource_changes["no-op"] ?? 0;
    const attributes = [
      `${count(summary.changed_paths, "attribute")} changed`,
      `${format(summary.unknown_paths)} known after apply`,
      `${format(summary.sensitive_paths)} sensitive`,
    ];
    all.push(
      `${count(resources, "resource")}, of which ${format(same)} stay as they are`,
      summary.moved && `${format(summary.moved)} moved`,
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

/** Fills a table of a section: a few rows, and all of them on demand. */
function table(id, headings, lines) {
  const section = one(id);
  const more = section.querySelector(".more");
  const head = make("tr", "", ...headings.map((content) => heading(...content)));
  const body = make("tbody");
  section.querySelector("table").append(make("thead", "", head), body);
  body.append(...lines.slice(0, LINES).map((line) => line()));
  more.textContent = `Show all ${format(lines.length)}`;
  more.hidden = lines.length <= LINES;
  more.addEventListener("click", () => {
    body.append(...lines.slice(LINES).map((line) => line()));
    more.hidden = true;
    body.rows[LINES]?.querySelector("button")?.focus();
  });
  section.hidden = lines.length === 0;
}

/** A row of numbers, each with the class of what it counts. `unknown` stands for no number. */
function tableRow(name, numbers, unknown = "·") {
  const head = make("th", "name", ...name);
  head.scope = "row";
  const cells = numbers.map(([number, className]) =>
    make("td", className ?? "", number ? format(number) : number === 0 ? "·" : unknown),
  );
  return make("tr", "", head, ...cells);
}

/** The plans, the worst first. */
function planTable() {
  const worst = (plan) => (plan.error ? Infinity : plan.summary.terraform.destroy);
  const order = plans
    .map((_, place) => place)
    .sort((a, b) => worst(plans[b]) - worst(plans[a]) || a - b);
  const columns = planColumns();
  const line = (place) => () => {
    const plan = plans[place];
    // A workspace is mostly called as its plan's path is.
    const isTold = plan.source.startsWith(name(plan));
    const source = make("span", "note", isTold ? "" : plan.source);
    const all = warnings(plan).map(({ className, textContent }) =>
      make("span", className, textContent),
    );
    const link = button(name(plan), () => choose("plan", place));
    const numbers = columns.map(([, className, number]) => [
      plan.summary && (number(plan.summary) ?? 0),
      className,
    ]);
    return tableRow([link, source, ...all], numbers, "?");
  };
  const headings = ["plan", ...columns.map(([word]) => word)];
  table("plans", headings.map((word) => [word]), order.map(line));
  if (headings.includes("replace")) {
    const note = "add and destroy count replacements, too";
    one("plans").append(make("p", "note", note));
  }
}

/** The columns of the table of plans: a heading, a class, and the number of a summary. */
function planColumns() {
  const always = [
    ["import", "", ({ terraform }) => terraform.import],
    ["add", "create", ({ terraform }) => terraform.add],
    ["change", "update", ({ terraform }) => terraform.change],
    ["destroy", "delete", ({ terraform }) => terraform.destroy],
    ["forget", "forget", ({ terraform }) => terraform.forget],
  ];
  const sometimes = [
    ["replace", "replace", ({ resource_changes }) => resource_changes.replace ?? 0],
    ["drift", "", ({ resource_drift }) => total(resource_drift ?? {})],
    ["failed checks", "delete", failedChecks],
  ];
  const isShown = ([, , number]) => plans.some(({ summary }) => summary && number(summary) > 0);
  return [...always, ...sometimes.filter(isShown)];
}

/** The types, the most frequent first. */
function typeTable() {
  const types = new Map();
  for (const row of rows.change) {
    const type = row.type ?? "";
    const numbers = types.get(type) ?? types.set(type, {}).get(type);
    numbers[row.group] = (numbers[row.group] ?? 0) + 1;
  }
  const actions = tally(rows.change).map(([action]) => action);
  const lines = [...types].sort(([a, x], [b, y]) => total(y) - total(x) || (a < b ? -1 : 1));
  const line = ([type, numbers]) => () => {
    const cells = actions.map((action) => [numbers[action] ?? 0, action]);
    const name = type ? button(type, () => choose("type", type)) : "(no type)";
    return tableRow([name], [...cells, [total(numbers)]]);
  };
  table("types", [["type"], ...actions.map(signed), ["all"]], lines.map(line));
}
