// What an entry shows when it is opened.

function details(row) {
  const told = JSON.parse(row.details.text.slice(row.details.start, row.details.end));
  const body = make("div", "details");
  const facts = [
    ["Plan", plans.length > 1 && row.plan.source],
    ["Reason", !["check", ...DIRECTIONS].includes(row.kind) && row.reason],
    ["Moved from", row.moved_from],
    ["Import", told.importing],
    ["Configuration", told.generated_config && "generated, to be adopted"],
    ["Trigger", told.trigger],
    ["Check of", told.check_kind?.replaceAll("_", " ")],
    ["Provider", told.provider],
    ["Block", told.block && block(told.block)],
  ].filter(([, value]) => value);
  const list = facts.flatMap(([key, value]) => [make("dt", "", key), make("dd", "", value)]);
  if (list.length > 0) body.append(make("dl", "", ...list));
  const problems = (told.problems ?? []).map((lines) =>
    make("li", "", ...lines.flatMap((line, at) => (at > 0 ? [make("br"), line] : [line]))),
  );
  if (problems.length > 0) body.append(make("ul", "problems", ...problems));
  // What configures an action is no change.
  const action = row.kind.endsWith("invocation") ? "read" : row.action;
  const isCompared = DIRECTIONS.includes(row.kind);
  if (isCompared) body.append(...attributes(told, "update", "OLD → NEW"));
  else if (told.attributes) body.append(...attributes(told, action, "before → after"));
  if (told.unchanged) {
    body.append(make("p", "note", `${count(told.unchanged, "unchanged attribute")} not shown`));
  }
  return body;
}

/** The place of a block, as a link if it has a page on a host. */
function block({ text, url }) {
  if (!/^https?:\/\//.test(url ?? "")) return text;
  const link = make("a", "", text);
  link.href = url;
  link.rel = "noopener noreferrer";
  return link;
}

/** The text of what an entry shows, for the search. */
function shownText(told) {
  const { provider, importing, trigger, check_kind, problems = [], attributes = [] } = told;
  const values = attributes.flatMap(([path, before, after]) => [path, text(before), text(after)]);
  const all = [provider, importing, trigger, check_kind, told.block?.text, ...problems.flat(), ...values];
  return all.join("\n").toLowerCase();
}

/** Attributes with their values, and the heading of two values. */
function attributes({ attributes, left_out }, action, pair) {
  const isPair = attributes.some(
    ([, before, after, ...words]) =>
      ![null, "withheld"].includes(before) && after !== null && !words.includes("same"),
  );
  const sign = heading(make("span", "unseen", "sign"));
  const headings = [sign, heading("attribute"), heading(isPair ? pair : "value")];
  const body = make("tbody");
  let shown = 0;
  const more = button("", () => {
    body.append(...attributes.slice(shown, shown + VALUES).map((it) => attribute(it, action)));
    shown = Math.min(shown + VALUES, attributes.length);
    more.textContent = `Show more of ${count(attributes.length - shown, "attribute")}`;
    more.hidden = shown === attributes.length;
  });
  more.click();
  const table = make("table", "attributes", make("thead", "", make("tr", "", ...headings)), body);
  const rest = left_out ? `and ${count(left_out, "attribute")} more, not in this file` : "";
  return [table, more, make("p", "note", rest)];
}

function attribute([path, before, after, ...words], action) {
  const [sign, style] = signOf(before, after, words, action);
  const head = make("th", "path", path || "(the value)");
  head.scope = "row";
  const stays = after === null && style === "same";
  const values = stays ? [value(before, "span")] : change(before, after, words);
  const cell = make("td", "value", ...values);
  const lines = words.find((word) => typeof word === "object");
  if (lines) cell.append(difference(lines));
  if (words.includes("replaces")) {
    cell.append(" ", make("span", "replaces", "# forces replacement"));
  }
  const direction = words.find((word) => DIRECTIONS.includes(word));
  if (direction) cell.append(" ", make("span", "hidden", `# ${direction}`));
  return make("tr", style, make("td", "sign", sign), head, cell);
}

/** The sign of an attribute, and the action that has its colour. */
function signOf(before, after, words, action) {
  if (words.includes("same")) return ["", "same"];
  if (before === null) return action === "read" ? ["", "read"] : ["+", "create"];
  // What is no longer managed stays as it is.
  if (after === null) return action === "forget" ? ["", "same"] : ["-", "delete"];
  return ["~", "update"];
}

/** What a value was and will be, with what differs marked. */
function change(before, after, words) {
  const word = words.find((word) => word in ALIKE);
  if (word) {
    const rest = words.filter((other) => other !== word);
    return [make("span", "hidden", ALIKE[word]), make("br"), ...change(before, after, rest)];
  }
  if (before === "withheld" && ["withheld", null].includes(after)) return [];
  if (words.includes("same") || before === after) return [value(after, "span")];
  if (before === null || before === "withheld") return [value(after, "ins")];
  if (after === null) return [value(before, "del")];
  const [old, now] = [text(before), text(after)];
  const isHidden = [before, after].some((it) => it in HIDDEN);
  const same = isHidden ? undefined : common(old, now);
  const isLong = old.length > SHORT || now.length > SHORT;
  const arrow = make("span", "arrow", "→");
  arrow.setAttribute("role", "img");
  arrow.setAttribute("aria-label", "becomes");
  const between = isLong ? make("br") : " ";
  return [value(before, "del", same), between, arrow, " ", value(after, "ins", same)];
}

/** How two texts differ, line by line. */
function difference({ lines, left_out }) {
  const all = lines.map((line) => {
    if (typeof line === "number") {
      return make("span", "skipped", `… ${count(line, "unchanged line")}`);
    }
    return make({ "-": "del", "+": "ins" }[line[0]] ?? "span", "", `${line[0]} ${line.slice(1)}`);
  });
  if (left_out) {
    all.push(make("span", "skipped", `… and ${count(left_out, "more difference")} (${FULL})`));
  }
  return make("div", "lines", ...all);
}

/** A JSON text as a person reads it: lines of a text, members and elements of what is long. */
function readable(json) {
  if (json.startsWith('"')) {
    const inner = json.slice(1, -1);
    if (!/\\n./s.test(inner)) return json;
    const marks = { n: "\n", t: "\t", '"': '"', "\\": "\\" };
    return inner.replaceAll(/\\(.)/gs, (all, mark) => marks[mark] ?? all);
  }
  return json.length <= SHORT || !/[[{]/.test(json) ? json : structured(json);
}

/** Members and elements in lines of their own, but for those that are short. */
function structured(json) {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"?|[[\]{}(),]|[^"[\]{}(),]+/gs) ?? [];
  const ends = new Map();
  const opened = [];
  let length = 0;
  tokens.forEach((token, place) => {
    length += token.length;
    if ("[{(".includes(token)) opened.push([place, length]);
    else if ("]})".includes(token) && opened.length > 0) {
      const [start, before] = opened.pop();
      if (length - before <= SHORT) ends.set(start, place);
    }
  });
  const open = [];
  let [text, level, flat] = ["", 0, -1];
  const turn = () => `\n${"  ".repeat(Math.min(level, SHORT / 2))}`;
  tokens.forEach((token, place) => {
    if (place <= flat) {
      text += token;
    } else if ("[{(".includes(token)) {
      const isBroken = token !== "(" && !ends.has(place);
      flat = ends.get(place) ?? flat;
      text += token;
      if (flat >= place) return;
      open.push(isBroken);
      if (isBroken) level += 1;
      if (isBroken) text += turn();
    } else if ("]})".includes(token)) {
      const isBroken = open.pop();
      if (isBroken) level -= 1;
      text += isBroken ? turn() + token : token;
    } else {
      text += token === "," && open.at(-1) ? token + turn() : token;
    }
  });
  return text;
}

/** A value: its JSON text, that with the number of bytes it lacks, or a word for what is hidden. */
const text = (shown) => (Array.isArray(shown) ? shown[0] : (HIDDEN[shown] ?? shown));

/** A value as an element, with what lies between so much of its beginning and its end marked. */
function value(shown, tag, [head, tail] = [0, 0]) {
  const all = text(shown);
  const end = all.length - tail;
  const element = make(tag, shown in HIDDEN ? "hidden" : "");
  if (head + tail === 0) element.append(shown in HIDDEN ? all : readable(all));
  else element.append(all.slice(0, head), make("mark", "", all.slice(head, end)), all.slice(end));
  if (Array.isArray(shown)) {
    element.append(make("span", "hidden", ` … and ${count(shown[1], "byte")} more (${FULL})`));
  }
  return element;
}

/** How much two texts begin and end alike, if that helps to see what differs. */
function common(a, b) {
  const most = Math.min(a.length, b.length);
  let [head, tail] = [0, 0];
  while (head < most && a[head] === b[head]) head += 1;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  // Not within a character.
  if (/[\ud800-\udbff]/.test(a[head - 1])) head -= 1;
  if (/[\udc00-\udfff]/.test(a.at(-tail))) tail -= 1;
  return head + tail > 8 ? [head, tail] : undefined;
}
