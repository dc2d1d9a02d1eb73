// The script of the page, in several files that are one module: words and numbers that all of it
// uses. Everything that comes from a plan becomes text of the page, by `make` alone.

/** Rows of a list that are shown at once. */
const ROWS = 100;
/** Lines of a table that are shown at first. */
const LINES = 8;
/** Attributes of an entry that are shown at first. */
const VALUES = 200;
/** Most choices of a filter. */
const CHOICES = 5000;
/** Length of a text that has a line of its own. */
const SHORT = 64;

/** What is said where something is not in the file. */
const FULL = "report --full has them";

/** The kinds of rows in the order of their lists, with the title of each and its short name. */
const PARTS = [
  ["change", "Changes", "Changes"],
  ["check", "Checks that did not pass", "Checks"],
  ["deferred", "Deferred to a later plan", "Deferred"],
  ["output", "Outputs", "Outputs"],
  ["invocation", "Actions to invoke", "Actions"],
  ["deferred_invocation", "Actions deferred to a later plan", "Deferred actions"],
  ["drift", "Drift: changed outside of Terraform", "Drift"],
  ["passed_check", "Checks that passed", "Passed checks"],
  ["same", "Unchanged resources", "Unchanged"],
  ["same_output", "Unchanged outputs", "Unchanged outputs"],
  ["more", "More in NEW", "More"],
  ["less", "Less in NEW", "Less"],
  ["resolved", "Resolved in NEW", "Resolved"],
];
/** The kinds of rows of a comparison, which are directions. */
const DIRECTIONS = ["more", "less", "resolved"];

/** Actions, the largest risk first; those that nobody knows come before the harmless. */
const ACTIONS = ["delete", "replace", "forget", "other", "update", "create", "read", "no-op"];
/** The ranks of losses. */
const LOSSES = 5;
// These have no prototype: a plan may call an action `constructor`.
const SYMBOLS = {
  __proto__: null,
  delete: "-",
  replace: "-/+",
  forget: ".",
  update: "~",
  create: "+",
  read: "<=",
  other: "?",
};
const WORDS = { __proto__: null, "no-op": "unchanged" };
const DRIFT = { __proto__: null, delete: "deleted", update: "changed" };
/** What stands for a value that is not shown. */
const HIDDEN = {
  __proto__: null,
  unknown: "(known after apply)",
  sensitive: "(sensitive value)",
  repeated: "(repeats a sensitive value)",
  withheld: "",
};
/** What is said of values that differ only so. */
const ALIKE = {
  __proto__: null,
  format: "(only white space or formatting)",
  order: "(only the order)",
  kept: "(the value does not change)",
  marked: "(will be marked as sensitive)",
  unmarked: "(will no longer be marked as sensitive)",
};
/** What a check can come to that is no good. */
const BAD = ["fail", "error"];

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

/** The heading of a column. */
function heading(...content) {
  const cell = make("th", "", ...content);
  cell.scope = "col";
  return cell;
}

/** A button that does something. */
function button(text, act) {
  const element = make("button", "", text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

/** An action's symbol and word. */
function signed(action) {
  return [symbol(SYMBOLS[action]), " ", make("span", "word", WORDS[action] ?? action)];
}

/** A symbol; the word beside it says the same. */
function symbol(text) {
  const element = make("span", "symbol", text ?? "");
  element.ariaHidden = "true";
  return element;
}
