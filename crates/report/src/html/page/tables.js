/** Makes buttons of the names in a table, and shows a few rows until all are asked for. */
function table(id, act) {
  const section = one(id);
  if (!section) return;
  const lines = [...section.querySelector("tbody").rows];
  for (const { cells } of lines) {
    const text = cells[0].textContent;
    const todo = act(text);
    if (todo) cells[0].replaceChildren(button(text, todo));
  }
  const rest = lines.slice(LINES);
  if (rest.length === 0) return;
  const more = button(`Show all ${format(lines.length)}`, () => {
    for (const line of rest) line.hidden = false;
    more.remove();
    rest[0].querySelector("button")?.focus();
  });
  more.className = "more";
  for (const line of rest) line.hidden = true;
  section.querySelector(".scroll").after(more);
}
