// The rows that are shown: a list for each part of the plans, page by page.

/** One for each part. */
const lists = [];

/** The parts in the order of their lists: checks come first when one of them failed. */
function order() {
  const hasFailed = rows.check.some(({ status }) => BAD.includes(status));
  const isFirst = ([kind]) => hasFailed && kind === "check";
  return [...PARTS.filter(isFirst), ...PARTS.filter((part) => !isFirst(part))];
}

/** An empty list, and what leads to it. */
function list([kind, words, short]) {
  const title = words.replace("Terraform", toolOf(plans.map(({ summary }) => summary)));
  const state = { kind, found: [], page: 0, where: make("span"), body: make("ol", "rows") };
  state.number = make("span", "number");
  state.title = make("h2", "", title, " ", state.number);
  state.title.id = kind;
  state.title.tabIndex = -1;
  state.opener = button("", () => openAll(state));
  state.body.setAttribute("role", "list");
  state.pages = pages(state);
  state.pages.setAttribute("aria-label", `Pages of ${title}`);
  const head = make("div", "heading", state.title, state.opener);
  state.section = make("section", "part", head, state.body, state.pages);
  state.section.setAttribute("aria-labelledby", kind);
  state.link = make("a", "", short, " ", make("span", "number"));
  state.link.href = `#${kind}`;
  state.link.addEventListener("click", (event) => {
    // The address keeps the filters.
    event.preventDefault();
    state.title.scrollIntoView();
    state.title.focus({ preventScroll: true });
  });
  return state;
}

/** Buttons that turn the pages of a list. */
function pages(state) {
  const turn = (text, target) =>
    button(text, () => {
      state.page = target(state.page, Math.ceil(state.found.length / ROWS) - 1);
      showPage(state);
      state.title.scrollIntoView();
      state.title.focus({ preventScroll: true });
    });
  state.back = [turn("First", () => 0), turn("Previous", (page) => page - 1)];
  state.forth = [turn("Next", (page) => page + 1), turn("Last", (_, last) => last)];
  return make("nav", "pages", ...state.back, state.where, ...state.forth);
}

function openAll({ body, opener }) {
  const entries = [...body.querySelectorAll("details")];
  const areOpen = entries.every((entry) => entry.open);
  for (const entry of entries) entry.open = !areOpen;
  opener.textContent = areOpen ? "Open all shown" : "Close all";
}

function showPage(state) {
  const { found, page } = state;
  const first = page * ROWS;
  const shown = found.slice(first, first + ROWS);
  state.body.replaceChildren(...shown.map(entry));
  state.body.start = first + 1;
  state.opener.textContent = "Open all shown";
  state.pages.hidden = found.length <= ROWS;
  const [from, to] = [first + 1, first + shown.length].map(format);
  state.where.textContent = `${from}–${to} of ${format(found.length)}`;
  for (const it of state.back) it.disabled = page === 0;
  for (const it of state.forth) it.disabled = first + ROWS >= found.length;
}

/** Shows what the filters leave. */
function show() {
  const started = performance.now();
  const isWanted = wanted();
  let [found, all] = [0, 0];
  for (const state of lists) {
    const rowsOfKind = rows[state.kind];
    state.found = rowsOfKind.filter(isWanted);
    state.page = 0;
    showPage(state);
    state.section.hidden = state.link.hidden = state.found.length === 0;
    state.number.textContent = state.link.lastChild.textContent = format(state.found.length);
    found += state.found.length;
    all += rowsOfKind.length;
  }
  const entries = `${format(all)} ${all === 1 ? "entry" : "entries"}`;
  one("found").textContent = found === all ? entries : `${format(found)} of ${entries}`;
  one("filters").querySelector("[type=reset]").hidden = found === all;
  link();
  performance.measure("show", { start: started });
}

/** A row of a list; what it shows when it is opened is made then. */
function entry(row) {
  const style = row.status ? (BAD.includes(row.status) ? "bad" : "open") : row.group;
  const word = make("span", "word", wordOf(row));
  const note = make("span", "note", notes(row));
  const head = [symbol(row.symbol), word, " ", address(row), " ", note];
  const { start, end } = row.details;
  if (end - start <= "{}".length) return make("li", "", make("div", `row ${style}`, ...head));
  const opened = make("details", `row ${style}`, make("summary", "", ...head));
  opened.addEventListener("toggle", () => opened.append(details(row)), { once: true });
  return make("li", "", opened);
}

function wordOf({ kind, status, action, word }) {
  if (status ?? word) return status ?? word;
  if (kind.endsWith("invocation")) return "invoke";
  return (kind === "drift" && DRIFT[action]) || (WORDS[action] ?? action);
}

/** An address with its module told apart. */
function address({ address, module, deposed }) {
  const outer = module && address.startsWith(`${module}.`) ? `${module}.` : "";
  const element = make("span", "address", make("span", "module", outer));
  element.append(address.slice(outer.length));
  if (deposed) element.append(make("span", "deposed", ` (deposed ${deposed})`));
  return element;
}

function notes({ plan, moved_from, imported, reason }) {
  const all = [
    plans.length > 1 && name(plan),
    moved_from && `moved from ${moved_from}`,
    imported && "imported",
    reason,
  ];
  return all.filter(Boolean).join(" · ");
}
