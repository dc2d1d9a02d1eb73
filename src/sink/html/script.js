// Makes the page of the data in it. Everything that comes from a plan becomes text, by `make` alone.
"use strict";

{
  /** Rows of a list that are shown at once, and lines of a table or of an entry. */
  const ROWS = 100, LINES = 8, VALUES = 200;
  /** Most choices of a filter. */
  const CHOICES = 5000;
  /** Length of a text that has a line of its own. */
  const SHORT = 64;

  const PARTS = [
    ["change", "Changes"],
    ["check", "Checks that did not pass"],
    ["deferred", "Deferred to a later plan"],
    ["output", "Outputs"],
    ["invocation", "Actions to invoke"],
    ["drift", "Changed outside of Terraform (drift)"],
  ];

  /** Actions, the largest risk first; those that nobody knows come before the harmless. */
  const ACTIONS = ["delete", "replace", "forget", "other", "update", "create", "read", "no-op"];
  // Without a prototype: a plan may call an action `constructor`.
  const SYMBOLS = {
    __proto__: null,
    delete: "-", replace: "-/+", forget: ".", update: "~", create: "+", read: "<=", other: "?",
  };
  const WORDS = { __proto__: null, "no-op": "unchanged" };
  const DRIFT = { __proto__: null, delete: "deleted", update: "changed" };
  const BAD = ["fail", "error"];
  const HIDDEN = { __proto__: null, unknown: "(known after apply)", sensitive: "(sensitive value)" };

  const plans = [];
  const rows = Object.fromEntries(PARTS.map(([kind]) => [kind, []]));
  const lists = [];
  const one = (id) => document.getElementById(id);
  const format = new Intl.NumberFormat("en").format;
  const count = (number, thing) => `${format(number)} ${thing}${number === 1 ? "" : "s"}`;

  /** An element with a class and children, which are elements or text. */
  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  }

  function button(text, act) {
    const element = make("button", "", text);
    element.type = "button";
    element.addEventListener("click", act);
    return element;
  }

  // The data: two lines for each thing, the second of which is read when it is looked at.

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

  function take(told, details) {
    const current = plans.at(-1);
    if (told.kind === "plan") {
      plans.push({ ...told, rows: 0 });
    } else if (told.kind === "summary") {
      current.summary = told;
    } else if (told.kind === "failed") {
      // Of the plan at hand, if that has no end.
      const isOpen = current && !current.summary && !current.error && current.source === told.source;
      if (isOpen) current.error = told.error;
      else plans.push({ ...told, rows: 0 });
    } else {
      told.plan = current;
      told.details = details;
      told.group = ACTIONS.includes(told.action) ? told.action : "other";
      told.risk = told.status ? Number(!BAD.includes(told.status)) : ACTIONS.indexOf(told.group);
      told.words = `${told.address} ${told.moved_from ?? ""}`.toLowerCase();
      current.rows += 1;
      rows[told.kind].push(told);
    }
  }

  const name = (plan) => plan.workspace ?? plan.source;
  const total = (numbers) => Object.values(numbers).reduce((sum, number) => sum + number, 0);

  // The overview.

  function warnings(plan) {
    const { summary, error } = plan;
    if (error) return [plan.rows > 0 ? `could not be read to its end: ${error}` : `could not be read: ${error}`];
    const deferred = total(summary.deferred_changes);
    return [
      summary.errored && "Planning failed: this plan is incomplete.",
      summary.complete === false && deferred === 0 &&
        "This plan is not complete: applying it will leave changes for another plan.",
      deferred > 0 && "Some changes are deferred to a later plan.",
    ].filter(Boolean);
  }

  /** The plan lines of all plans that were read, as one. */
  function sum() {
    const line = { import: 0, add: 0, change: 0, destroy: 0, forget: 0 };
    for (const { summary } of plans) {
      for (const word of Object.keys(line)) line[word] += summary?.terraform[word] ?? 0;
    }
    return line;
  }

  function sentence(line) {
    const parts = [line.import && `${line.import} to import`, `${line.add} to add`,
      `${line.change} to change`, `${line.destroy} to destroy`, line.forget && `${line.forget} to forget`];
    return `All plans: ${parts.filter(Boolean).join(", ")}.`;
  }

  function overview() {
    const [plan] = plans;
    const isOne = plans.length === 1;
    const title = isOne ? name(plan) : plans.length ? count(plans.length, "plan") : "No plans";
    const line = isOne ? plan.summary?.line ?? "" : plans.length ? sentence(sum()) : "";
    document.title = [title, line].filter(Boolean).join(" – ");
    one("title").textContent = title;
    one("line").textContent = line;
    const all = isOne ? warnings(plan) : warningsOfMany();
    one("warnings").append(...all.map((warning) => make("li", "warning", warning)));
    one("warnings").hidden = all.length === 0;
    one("facts").append(...(isOne ? facts(plan) : [`${count(plans.filter((it) => it.summary).length, "plan")} read.`]));
    bar();
    if (plans.length > 1) planTable();
    typeTable();
  }

  function warningsOfMany() {
    const failed = plans.filter((plan) => plan.error).length;
    const errored = plans.filter((plan) => plan.summary?.errored).length;
    const deferred = plans.filter((plan) => plan.summary && total(plan.summary.deferred_changes) > 0).length;
    return [
      failed && `${count(failed, "plan")} could not be read to the end: what they change is not counted.`,
      errored && `Planning failed in ${count(errored, "plan")}.`,
      deferred && `${count(deferred, "plan")} with changes that are deferred to a later plan.`,
    ].filter(Boolean);
  }

  function facts({ source, workspace, summary, terraform_version, format_version }) {
    const version = terraform_version ?? summary?.terraform_version;
    const all = [workspace && source];
    if (summary) {
      const resources = total(summary.resource_changes), same = summary.resource_changes["no-op"] ?? 0;
      all.push(
        `${count(resources, "resource")}, of which ${format(same)} stay as they are`,
        summary.moved && `${format(summary.moved)} moved`,
        `${count(summary.changed_paths, "attribute")} changed, ${format(summary.unknown_paths)} known after apply, ` +
          `${format(summary.sensitive_paths)} sensitive`,
        summary.timestamp && `planned ${summary.timestamp}`,
      );
    }
    all.push(version && `Terraform or OpenTofu ${version}`, format_version && `format ${format_version}`);
    return [all.filter(Boolean).join(" · ")];
  }

  /** How the actions share the changes. */
  function bar() {
    for (const [action, number] of tally(rows.change)) {
      const part = make("span", action);
      part.style.flexGrow = number;
      one("bar").append(part);
      one("legend").append(make("li", action, ...signed(action), " ", make("span", "number", format(number))));
    }
  }

  /** An action's symbol and word. */
  function signed(action) {
    const symbol = make("span", "symbol", SYMBOLS[action] ?? "");
    symbol.ariaHidden = "true";
    return [symbol, " ", make("span", "word", WORDS[action] ?? action)];
  }

  /** Rows by action, in the order of actions. */
  function tally(list) {
    const numbers = new Map();
    for (const { group } of list) numbers.set(group, (numbers.get(group) ?? 0) + 1);
    return [...numbers].sort(([a], [b]) => ACTIONS.indexOf(a) - ACTIONS.indexOf(b));
  }

  /** Fills a table of a section: a few rows, and all of them on demand. */
  function table(id, headings, lines) {
    const section = one(id), body = make("tbody"), more = section.querySelector(".more");
    const heading = (content) => {
      const cell = make("th", "", ...content);
      cell.scope = "col";
      return cell;
    };
    section.querySelector("table").append(make("thead", "", make("tr", "", ...headings.map(heading))), body);
    body.append(...lines.slice(0, LINES).map((line) => line()));
    more.textContent = `Show all ${format(lines.length)}`;
    more.hidden = lines.length <= LINES;
    more.addEventListener("click", () => {
      body.append(...lines.slice(LINES).map((line) => line()));
      more.hidden = true;
      body.rows[LINES].querySelector("button")?.focus();
    });
    section.hidden = lines.length === 0;
  }

  function tableRow(text, choose, cells) {
    const head = make("th", "name", choose ? button(text, choose) : text);
    head.scope = "row";
    return make("tr", "", head, ...cells.map(([value, className]) =>
      make("td", className ?? "", typeof value === "number" ? (value ? format(value) : "·") : value)));
  }

  function planTable() {
    const worst = (plan) => plan.error ? Infinity : plan.summary.terraform.destroy;
    const order = plans.map((_, place) => place).sort((a, b) => worst(plans[b]) - worst(plans[a]) || a - b);
    const line = (place) => () => {
      const plan = plans[place], numbers = plan.summary?.terraform;
      const notes = [plan.workspace && plan.source, ...warnings(plan)].filter(Boolean).join(" · ");
      return tableRow(name(plan), () => choose("plan", place), [
        [numbers?.import ?? 0], [numbers?.add ?? 0, "create"], [numbers?.change ?? 0, "update"],
        [numbers?.destroy ?? 0, "delete"], [numbers?.forget ?? 0, "forget"],
        [notes, plan.error ? "note delete" : "note"],
      ]);
    };
    const headings = ["plan", "import", "add", "change", "destroy", "forget", "notes"];
    table("plans", headings.map((word) => [word]), order.map(line));
  }

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
      return tableRow(type || "(no type)", type && (() => choose("type", type)), [...cells, [total(numbers)]]);
    };
    table("types", [["type"], ...actions.map(signed), ["all"]], lines.map(line));
  }

  // The filters.

  /** Sets a filter from elsewhere. */
  function choose(id, value) {
    const select = one(id), text = String(value);
    if (![...select.options].some((option) => option.value === text)) select.append(new Option(text, text));
    select.value = text;
    show();
    one("search").scrollIntoView();
  }

  function options(id, all, choices) {
    const shown = choices.slice(0, CHOICES).map(([text, value]) => new Option(text, value));
    one(id).append(new Option(all, ""), ...shown);
    if (choices.length > CHOICES) {
      const more = new Option(`and ${format(choices.length - CHOICES)} more: search for the address`, "");
      more.disabled = true;
      one(id).append(more);
    }
  }

  function filters() {
    const types = new Map(), modules = new Map(), actions = new Set();
    const add = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
    for (const list of Object.values(rows)) {
      for (const row of list) {
        if (row.type) add(types, row.type);
        if (row.module) add(modules, row.module);
        if (row.action) actions.add(row.group);
      }
    }
    const sorted = (map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([text, number]) => [`${text} (${format(number)})`, text]);
    options("type", "all types", sorted(types));
    options("module", "all modules", [["root module", "."], ...sorted(modules)]);
    if (plans.length > 1) {
      options("plan", "all plans", plans.map((plan, place) => [name(plan), place]));
      one("plan").parentElement.hidden = false;
    }
    for (const action of ACTIONS.filter((action) => actions.has(action))) {
      const box = make("input");
      Object.assign(box, { type: "checkbox", name: "action", value: action });
      one("actions").append(make("label", `chip ${action}`, box, ...signed(action)));
    }
  }

  /** Whether a row is to be shown, by the filters as they are set. */
  function wanted() {
    const words = one("text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [type, module, place] = ["type", "module", "plan"].map((id) => one(id).value);
    const plan = place === "" ? undefined : plans[place];
    const boxes = [...document.querySelectorAll("input[name=action]")];
    const actions = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const below = (address) => module === "."
      ? !address.startsWith("module.")
      : address.startsWith(module) && [".", "[", undefined].includes(address[module.length]);
    return (row) =>
      (actions.size === 0 || (row.action && actions.has(row.group))) &&
      (!type || row.type === type) &&
      (!plan || row.plan === plan) &&
      (!module || (row.kind !== "output" && below(row.address))) &&
      words.every((word) => row.words.includes(word));
  }

  // The lists.

  function list([kind, title]) {
    const number = make("span", "number"), rowsShown = make("ol", "rows"), pages = make("nav", "pages");
    const heading = make("h2", "", title, " ", number);
    heading.id = kind;
    heading.tabIndex = -1;
    const where = make("span");
    const state = { kind, found: [], page: 0, number, rowsShown, pages, where };
    const turn = (text, target) => button(text, () => {
      state.page = target(state.page, Math.ceil(state.found.length / ROWS) - 1);
      showPage(state);
      heading.scrollIntoView();
      heading.focus({ preventScroll: true });
    });
    state.back = [turn("First", () => 0), turn("Previous", (page) => page - 1)];
    state.forth = [turn("Next", (page) => page + 1), turn("Last", (_, last) => last)];
    pages.append(...state.back, where, ...state.forth);
    pages.setAttribute("aria-label", `Pages of ${title}`);
    rowsShown.setAttribute("role", "list");
    const open = button("Open all shown", () => {
      const entries = [...rowsShown.querySelectorAll("details")];
      const isOpen = entries.every((entry) => entry.open);
      for (const entry of entries) entry.open = !isOpen;
    });
    const section = make("section", "part", make("div", "heading", heading, open), rowsShown, pages);
    section.setAttribute("aria-labelledby", kind);
    state.link = make("a", "", title.split(" ")[0] === "Changed" ? "Drift" : title.split(" ")[0], " ", make("span", "number"));
    state.link.href = `#${kind}`;
    return Object.assign(state, { section });
  }

  function showPage(state) {
    const { found, page, rowsShown, pages, where } = state;
    const first = page * ROWS, shown = found.slice(first, first + ROWS);
    rowsShown.replaceChildren(...shown.map(entry));
    rowsShown.start = first + 1;
    pages.hidden = found.length <= ROWS;
    where.textContent = `${format(first + 1)}–${format(first + shown.length)} of ${format(found.length)}`;
    for (const it of state.back) it.disabled = page === 0;
    for (const it of state.forth) it.disabled = first + ROWS >= found.length;
  }

  /** Shows what the filters leave. */
  function show() {
    const started = performance.now();
    const isWanted = wanted();
    let found = 0, all = 0;
    for (const state of lists) {
      const rowsOfKind = rows[state.kind];
      Object.assign(state, { found: rowsOfKind.filter(isWanted), page: 0 });
      showPage(state);
      state.section.hidden = state.link.hidden = state.found.length === 0;
      state.number.textContent = state.link.lastChild.textContent = format(state.found.length);
      found += state.found.length;
      all += rowsOfKind.length;
    }
    const isAll = found === all;
    one("found").textContent = all === 0 ? "Nothing to show." : isAll ? `${count(all, "entry").replace("entrys", "entries")}`
      : `${format(found)} of ${format(all)} entries`;
    one("filters").querySelector("[type=reset]").hidden = isAll;
    performance.measure("show", { start: started });
  }

  function address({ address, module, deposed }) {
    const inner = module && address.startsWith(`${module}.`) ? address.slice(module.length + 1) : address;
    const outer = address.slice(0, address.length - inner.length);
    const name = make("span", "address", ...(outer ? [make("span", "module", outer)] : []), inner);
    if (deposed) name.append(make("span", "deposed", ` (deposed ${deposed})`));
    return name;
  }

  function notes(row) {
    const all = [
      plans.length > 1 && name(row.plan),
      row.moved_from && `moved from ${row.moved_from}`,
      row.imported && "imported",
      row.reason,
    ];
    return all.filter(Boolean).join(" · ");
  }

  function entry(row) {
    const word = row.status ?? (row.kind === "invocation" ? "invoke"
      : (row.kind === "drift" && DRIFT[row.action]) || WORDS[row.action] || row.action);
    const symbol = make("span", "symbol", row.symbol ?? "");
    symbol.ariaHidden = "true";
    const style = row.status ? `status-${BAD.includes(row.status) ? "bad" : "open"}` : row.group;
    const head = [symbol, make("span", "word", word), " ", address(row), " ", make("span", "note", notes(row))];
    const { start, end } = row.details;
    if (end - start <= 2) return make("li", "", make("div", `row ${style}`, ...head));
    const opened = make("details", `row ${style}`, make("summary", "", ...head));
    opened.addEventListener("toggle", () => opened.append(details(row)), { once: true });
    return make("li", "", opened);
  }

  // What an entry shows when it is opened.

  function details(row) {
    const told = JSON.parse(row.details.text.slice(row.details.start, row.details.end));
    const body = make("div", "details");
    const facts = [
      ["Plan", plans.length > 1 && row.plan.source],
      ["Reason", row.kind !== "check" && row.reason],
      ["Moved from", row.moved_from],
      ["Imported by", told.importing],
      ["Configuration", told.generated_config && "generated, to be adopted"],
      ["Trigger", told.trigger],
      ["Check of", told.check_kind?.replaceAll("_", " ")],
      ["Provider", told.provider],
    ].filter(([, value]) => value);
    if (facts.length > 0) {
      body.append(make("dl", "", ...facts.flatMap(([key, value]) => [make("dt", "", key), make("dd", "", value)])));
    }
    if (told.problems) body.append(make("ul", "problems", ...told.problems.map((text) => make("li", "", text))));
    if (told.attributes) body.append(...attributes(told, row.action));
    else body.append(...paths(told));
    return body;
  }

  function attributes({ attributes, left_out }, action) {
    const body = make("tbody");
    const heading = (text, label) => {
      const cell = make("th", "", text);
      cell.scope = "col";
      if (label) cell.setAttribute("aria-label", label);
      return cell;
    };
    const isPair = attributes.some(([, before, after]) => before !== null && after !== null);
    const head = make("tr", "", heading("", "sign"), heading("attribute"), heading(isPair ? "before → after" : "value"));
    const parts = [make("table", "attributes", make("thead", "", head), body)];
    let shown = 0;
    const more = button("", () => {
      body.append(...attributes.slice(shown, shown + VALUES).map((it) => attribute(it, action)));
      shown = Math.min(shown + VALUES, attributes.length);
      more.textContent = `Show more of ${count(attributes.length - shown, "attribute")}`;
      more.hidden = shown === attributes.length;
    });
    more.click();
    parts.push(more);
    if (left_out) parts.push(make("p", "note", `and ${count(left_out, "attribute")} more, which are not in this file`));
    return parts;
  }

  function attribute([path, before, after, replaces], action) {
    const sign = before === null ? (action === "read" ? "" : "+") : after === null ? "-" : "~";
    const kind = { "+": "create", "-": "delete", "~": "update" }[sign] ?? "read";
    const head = make("th", "path", path || "(the value)");
    head.scope = "row";
    const cell = make("td", "value", ...change(before, after));
    if (replaces) cell.append(" ", make("span", "replaces", "# forces replacement"));
    return make("tr", kind, make("td", "sign", sign), head, cell);
  }

  /** What a value was and will be, with what differs marked. */
  function change(before, after) {
    if (before === null || after === null) return [value(before ?? after, before === null ? "ins" : "del")];
    if (before === "sensitive" && after === "sensitive") return [value(after, "span")];
    const [old, now] = [text(before), text(after)];
    const isHidden = [before, after].some((it) => it in HIDDEN);
    const same = isHidden ? [0, 0] : common(old, now);
    const isLong = old.length > SHORT || now.length > SHORT;
    const arrow = make("span", "arrow", "→");
    arrow.setAttribute("aria-label", "becomes");
    arrow.setAttribute("role", "img");
    return [value(before, "del", same), isLong ? make("br") : " ", arrow, " ", value(after, "ins", same)];
  }

  const text = (shown) => Array.isArray(shown) ? shown[0] : HIDDEN[shown] ?? shown;

  function value(shown, tag, [head, tail] = [0, 0]) {
    const all = text(shown), end = all.length - tail;
    const element = make(tag, shown in HIDDEN ? "hidden" : "");
    if (head + tail === 0) element.append(all);
    else element.append(all.slice(0, head), make("mark", "", all.slice(head, end)), all.slice(end));
    if (Array.isArray(shown)) element.append(make("span", "hidden", ` … and ${count(shown[1], "byte")} more`));
    return element;
  }

  /** How much two texts begin and end alike; nothing, unless that helps to see what differs. */
  function common(a, b) {
    const most = Math.min(a.length, b.length);
    let head = 0, tail = 0;
    while (head < most && a[head] === b[head]) head += 1;
    while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
    return head + tail > 8 ? [head, tail] : [0, 0];
  }

  function paths({ changed = [], unknown = [], replace_paths = [] }) {
    const line = (path, what) => make("li", "", make("span", "path", path || "(the value)"), " ", make("span", "hidden", what));
    const all = [
      ...changed.map((path) => [path, replace_paths.includes(path) ? "changes # forces replacement" : "changes"]),
      ...unknown.filter((path) => !changed.includes(path)).map((path) => [path, HIDDEN.unknown]),
    ];
    if (all.length === 0) return [];
    const rest = all.length - VALUES;
    return [make("ul", "paths", ...all.slice(0, VALUES).map(([path, what]) => line(path, what)),
      ...(rest > 0 ? [make("li", "note", `and ${format(rest)} more`)] : []))];
  }

  // The keyboard.

  function step(summary, by) {
    const all = [...one("lists").querySelectorAll("section:not([hidden]) summary")];
    all[all.indexOf(summary) + by]?.focus();
  }

  function key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const isTyping = event.target.matches("input[type=search], select");
    const summary = event.target.closest("summary");
    if (event.key === "/" && !isTyping) {
      one("text").select();
      event.preventDefault();
    } else if (event.key === "Escape" && !event.target.matches("select")) {
      one("filters").reset();
    } else if (summary && ["ArrowDown", "ArrowUp"].includes(event.key)) {
      step(summary, event.key === "ArrowDown" ? 1 : -1);
      event.preventDefault();
    }
  }

  function start() {
    const started = performance.now();
    read();
    overview();
    filters();
    lists.push(...PARTS.map(list));
    one("lists").append(...lists.map(({ section }) => section));
    one("parts").append(...lists.map(({ link }) => link));
    one("filters").addEventListener("input", show);
    one("filters").addEventListener("submit", (event) => event.preventDefault());
    // The fields have their values back after the event only.
    one("filters").addEventListener("reset", () => setTimeout(show));
    document.addEventListener("keydown", key);
    show();
    performance.measure("start", { start: started });
  }

  start();
}
