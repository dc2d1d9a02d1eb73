// The keyboard, and the beginning.

/** Goes from entry to entry. */
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
  for (const it of document.querySelectorAll(".unscripted")) it.remove();
  for (const it of document.querySelectorAll(".skip, #bar, #search")) it.hidden = false;
  overview();
  filters();
  lists.push(...order().map(list));
  one("lists").append(...lists.map(({ section }) => section));
  one("parts").append(...lists.map(({ link }) => link));
  one("filters").addEventListener("input", show);
  one("filters").addEventListener("submit", (event) => event.preventDefault());
  // The fields have their values back after the event only.
  one("filters").addEventListener("reset", () => setTimeout(show));
  document.addEventListener("keydown", key);
  addEventListener("hashchange", () => follow() && show());
  follow();
  show();
  performance.measure("start", { start: started });
}

start();
