// The script of the page of a fleet: search and filters over the rows of the table.

/** Rows of the table that are shown at first, and that a button adds. */
const PAGE = 200;

/** The rows of workspaces, with the text that the search reads and the classes of each. */
const workspaces = [...(one("plans")?.querySelector("tbody").rows ?? [])].map((row) => ({
  row,
  words: `${row.cells[0].textContent} ${row.lastElementChild.textContent}`.toLowerCase(),
  classes: row.dataset.is.split(" "),
}));
/** The most rows that are shown. */
let most = PAGE;
const more = button("", () => {
  most += PAGE;
  show();
});

/** Makes a box of each class that has a number at the top of the page. */
function classes() {
  for (const item of one("numbers").children) {
    const [number, words] = [item.querySelector("b").textContent, item.querySelector("span").textContent];
    const box = make("input");
    Object.assign(box, { type: "checkbox", name: "class", value: item.dataset.is });
    const label = make("label", `chip ${item.className}`, box, words, " ", make("span", "number", number));
    one("classes").append(label);
  }
}

/** Whether a row is to be shown, by the filters as they are set. */
function wanted() {
  const words = one("text").value.toLowerCase().split(/\s+/).filter(Boolean);
  const boxes = [...document.querySelectorAll("input[name=class]:checked")].map((box) => box.value);
  return (workspace) =>
    words.every((word) => workspace.words.includes(word)) &&
    (boxes.length === 0 || boxes.some((name) => workspace.classes.includes(name)));
}

/** Shows the rows that the filters want. */
function show() {
  const isWanted = wanted();
  let found = 0;
  for (const workspace of workspaces) {
    const isFound = isWanted(workspace);
    if (isFound) found += 1;
    workspace.row.hidden = !isFound || found > most;
  }
  const all = count(workspaces.length, "workspace");
  one("found").textContent = found === workspaces.length ? all : `${format(found)} of ${all}`;
  one("filters").querySelector("[type=reset]").hidden = found === workspaces.length;
  more.hidden = found <= most;
  more.textContent = `Show ${format(Math.min(PAGE, found - most))} more of ${format(found)}`;
}

/** Shows the first rows again, as the filters want them. */
function filter() {
  most = PAGE;
  show();
}

function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "/" && !event.target.matches("input[type=search]")) {
    one("text").select();
    event.preventDefault();
  } else if (event.key === "Escape") {
    one("filters").reset();
  }
}

/** Shows a few errors until all are asked for. */
function errors() {
  const rest = [...document.querySelectorAll("#errors li")].slice(LINES);
  if (rest.length === 0) return;
  const all = button(`Show all ${format(rest.length + LINES)}`, () => {
    for (const line of rest) line.hidden = false;
    all.remove();
  });
  all.className = "more";
  for (const line of rest) line.hidden = true;
  one("errors").append(all);
}

for (const it of document.querySelectorAll(".unscripted")) it.remove();
errors();
table("types", () => undefined);
if (workspaces.length > 0) {
  for (const it of document.querySelectorAll(".skip, #search")) it.hidden = false;
  more.className = "more";
  one("plans").querySelector(".scroll").after(more);
  classes();
  one("filters").addEventListener("input", filter);
  one("filters").addEventListener("submit", (event) => event.preventDefault());
  // The fields have their values back after the event only.
  one("filters").addEventListener("reset", () => setTimeout(filter));
  document.addEventListener("keydown", key);
  show();
}
