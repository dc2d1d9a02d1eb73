// The filters in the fragment of the page's address, so that a link shows what its sender saw.

/** The keys of the fragment, with the fields that they set. */
const FIELDS = { q: "text", type: "type", module: "module", plan: "plan" };

/** The fragment that the page wrote itself. */
let written = "";

/** What a field holds, as a link has it: a plan by its name. */
function told(id) {
  const { value } = one(id);
  return id === "plan" && value !== "" ? name(plans[value]) : value;
}

/** Writes the filters into the address. */
function link() {
  const parts = new URLSearchParams();
  for (const [key, id] of Object.entries(FIELDS)) if (told(id)) parts.set(key, told(id));
  const actions = [...document.querySelectorAll("input[name=action]:checked")];
  if (actions.length > 0) parts.set("action", actions.map((box) => box.value).join(","));
  const [page] = location.href.split("#");
  const address = parts.size > 0 ? `${page}#${parts}` : page;
  try {
    if (address !== location.href) history.replaceState(null, "", address);
    written = location.hash;
  } catch {
    // A browser may refuse when it was asked very often.
  }
}

/** Sets the filters as an address says that somebody else wrote. Returns whether it says any. */
function follow() {
  if (location.hash === written) return false;
  const parts = new URLSearchParams(location.hash.slice(1));
  if (![...Object.keys(FIELDS), "action"].some((key) => parts.has(key))) return false;
  for (const [key, id] of Object.entries(FIELDS)) {
    const text = parts.get(key) ?? "";
    const place = plans.findIndex((plan) => name(plan) === text);
    if (id === "text") one(id).value = text;
    else if (id !== "plan") select(id, text);
    else one(id).value = text === "" || place < 0 ? "" : String(place);
  }
  const actions = (parts.get("action") ?? "").split(",");
  for (const box of document.querySelectorAll("input[name=action]")) {
    box.checked = actions.includes(box.value);
  }
  return true;
}
