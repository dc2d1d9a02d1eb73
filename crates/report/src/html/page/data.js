// The data: two lines for each thing, the second of which is read when it is looked at.

/** Each with a summary, if it was read to its end. */
const plans = [];
/** By kind. */
const rows = Object.fromEntries(PARTS.map(([kind]) => [kind, []]));

/** Reads all data. */
function read() {
  for (const block of document.querySelectorAll("script[type='application/x-ndjson']")) {
    const text = block.textContent;
    for (let start = 1; start < text.length;) {
      const middle = text.indexOf("\n", start);
      const end = text.indexOf("\n", middle + 1);
      take(JSON.parse(text.slice(start, middle)), { text, start: middle + 1, end });
      start = end + 1;
    }
  }
  for (const list of Object.values(rows)) list.sort((a, b) => a.risk - b.risk);
}

/** Takes note of a thing, with the place of its details. */
function take(told, details) {
  const current = plans.at(-1);
  if (told.kind === "plan") {
    plans.push(told);
  } else if (told.kind === "summary") {
    current.summary = told;
  } else if (told.kind === "failed") {
    // If the current plan is incomplete, its rows do not count.
    const isOpen = current && !current.summary && current.source === told.source;
    if (isOpen) forget(current);
    else plans.push(told);
  } else {
    told.plan = current;
    told.details = details;
    told.group = ACTIONS.includes(told.action) ? told.action : "other";
    // Losses come first, and among them those of data.
    const rank = told.loss ?? LOSSES + ACTIONS.indexOf(told.group);
    told.risk = told.status ? Number(!BAD.includes(told.status)) : rank;
    const words = [told.address, told.moved_from, told.type, told.reason];
    told.words = words.filter(Boolean).join(" ").toLowerCase();
    rows[told.kind].push(told);
  }
}

/** Drops the rows of a plan. */
function forget(plan) {
  for (const kind of Object.keys(rows)) rows[kind] = rows[kind].filter((row) => row.plan !== plan);
}

/** The tool that made plans, by their summaries. */
function toolOf(summaries) {
  const tools = new Set(summaries.map((summary) => summary && (summary.tool ?? "Terraform")));
  return (tools.size === 1 && [...tools][0]) || "Terraform or OpenTofu";
}

const name = (plan) => plan.workspace ?? plan.source;
const total = (numbers) => Object.values(numbers).reduce((sum, number) => sum + number, 0);
