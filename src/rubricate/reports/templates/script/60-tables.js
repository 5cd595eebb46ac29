// Tables that sort by a click on a heading and filter by words; numbers sort as numbers, missing values last.
const cellKey = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  return text === "" || text === "–" ? null : cell.matches(".num") ? Number(text.replace(/,/g, "")) : text;
};
function compareKeys(a, b, direction) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  return order * direction;
}
function sortBy(table, column, direction) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [cellKey(row, column), row]);
  rows.sort(([a], [b]) => compareKeys(a, b, direction));
  body.append(...rows.map(([, row]) => row));
  [...table.tHead.rows[0].cells].forEach((head, k) => {
    if (k === column) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
}
function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = html("button", { type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const first = head.matches(".num") ? -1 : 1;
      sortBy(table, column, now === null ? first : now === "ascending" ? -1 : 1);
    });
    head.append(button);
  });
}
function makeFilter(table) {
  const box = html("input", { type: "search", placeholder: "words, or test>=10" });
  const count = html("span", { class: "count", "aria-live": "polite" });
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim().toLowerCase());
  const apply = () => {
    const tests = box.value.toLowerCase().split(/\s+/).filter(Boolean).map((word) => rowTest(word, heads));
    let left = 0;
    for (const row of rows) {
      row.hidden = !tests.every((test) => test(row));
      left += !row.hidden;
    }
    count.textContent = `${amount(left)} of ${amount(rows.length)}`;
  };
  box.addEventListener("input", apply);
  apply();
  return html("div", { class: "controls" }, html("label", {}, table.dataset.filter, box), count);
}
// A word is looked for in the first cell; `test<10` or `svm>=.5` compares the column whose heading begins so.
function rowTest(word, heads) {
  const parts = word.match(/^(.+?)(<=|>=|<|>|=)(-?[\d.]+)$/);
  const column = parts ? heads.findIndex((head) => head.replace(/\s+/g, "").startsWith(parts[1])) : -1;
  if (column < 0) return (row) => row.cells[0].textContent.toLowerCase().includes(word);
  const bound = Number(parts[3]);
  const holds = { "<": (v) => v < bound, "<=": (v) => v <= bound, ">": (v) => v > bound, ">=": (v) => v >= bound, "=": (v) => v === bound }[parts[2]];
  return (row) => { const value = cellKey(row, column); return value !== null && holds(Number(value)); };
}
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const filter = table.dataset.filter ? makeFilter(table) : null;
  makeSortable(table);
  if (filter) table.parentElement.before(filter);
}
