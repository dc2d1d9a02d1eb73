// What is to be shown: fields, and what they want of a row.

/** Sets a field, which need not have that choice yet. */
function select(id, text) {
  const field = one(id);
  const isThere = [...field.options].some((option) => option.value === text);
  if (!isThere) field.append(new Option(text, text));
  field.value = text;
}

/** Sets a filter from elsewhere. */
function choose(id, value) {
  select(id, String(value));
  show();
  one("search").scrollIntoView();
}

/** Fills a field with choices: texts and their values. */
function options(id, all, choices) {
  const shown = choices.slice(0, CHOICES).map(([text, value]) => new Option(text, value));
  one(id).append(new Option(all, ""), ...shown);
  if (choices.length > CHOICES) {
    const rest = format(choices.length - CHOICES);
    const more = new Option(`and ${rest} more: search for them`, "");
    more.disabled = true;
    one(id).append(more);
  }
}

/** Fills the fields with what there is. */
function filters() {
  const [types, modules, actions] = [new Map(), new Map(), new Set()];
  const add = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const list of Object.values(rows)) {
    for (const row of list) {
      if (row.type) add(types, row.type);
      if (row.module) add(modules, row.module);
      if (row.action) actions.add(row.group);
    }
  }
  const sorted = (map) =>
    [...map]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([text, number]) => [`${text} (${format(number)})`, text]);
  options("type", "all types", sorted(types));
  options("module", "all modules", [["root module", "."], ...sorted(modules)]);
  if (plans.length > 1) {
    options("plan", one("plan").dataset.all, plans.map((plan, place) => [name(plan), place]));
    one("plan").parentElement.hidden = false;
  }
  for (const action of ACTIONS.filter((action) => actions.has(action))) {
    const box = make("input");
    Object.assign(box, { type: "checkbox", name: "action", value: action });
    one("actions").append(make("label", `chip ${action}`, box, ...signed(action)));
  }
}

/** A word as it may stand in the text of the details, and as they show it. */
function searched(word) {
  const written = JSON.stringify(word).slice(1, -1);
  const escaped = written.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
  const isOfHidden = Object.values(HIDDEN).some((text) => text.includes(word));
  return { word, written: isOfHidden ? "" : escaped.replaceAll("&", "\\u0026") };
}

/** Whether a row has a word: in what it shows, or shows when it is opened. */
function has(row, { word, written }) {
  if (row.words.includes(word)) return true;
  const { text, start, end } = row.details;
  if (!text.slice(start, end).toLowerCase().includes(written)) return false;
  row.shown ??= shownText(JSON.parse(text.slice(start, end)));
  return row.shown.includes(word);
}

/** Whether a row is to be shown, by the filters as they are set. */
function wanted() {
  const words = one("text").value.toLowerCase().split(/\s+/).filter(Boolean).map(searched);
  const [type, module, place] = ["type", "module", "plan"].map((id) => one(id).value);
  const plan = place === "" ? undefined : plans[place];
  const boxes = [...document.querySelectorAll("input[name=action]")];
  const actions = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const below = (address) =>
    module === "."
      ? !address.startsWith("module.")
      : address.startsWith(module) && [".", "[", undefined].includes(address[module.length]);
  return (row) =>
    (actions.size === 0 || (row.action && actions.has(row.group))) &&
    (!type || row.type === type) &&
    (!plan || row.plan === plan) &&
    (!module || (!row.kind.endsWith("output") && below(row.address))) &&
    words.every((word) => has(row, word));
}
