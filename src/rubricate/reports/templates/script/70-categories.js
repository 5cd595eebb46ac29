// The measure that the table of categories shows. data: {table, undefined, counts: [run][row] = [tp, fp, fn], first}
const MEASURES = {
  F1: ([tp, fp, fn], none) => ratio(2 * tp, 2 * tp + fp + fn, none),
  precision: ([tp, fp], none) => ratio(tp, tp + fp, none),
  recall: ([tp, , fn], none) => ratio(tp, tp + fn, none),
};
function drawCategories(host, data) {
  const table = document.getElementById(data.table);
  const rows = [...table.tBodies[0].rows];
  const none = { zero: 0, one: 1, omit: null }[data.undefined];
  const names = Object.keys(MEASURES);
  const show = (k) => rows.forEach((row, r) => data.counts.forEach((run, s) => {
    const cell = row.cells[data.first + s];
    const value = MEASURES[names[k]](run[r], none);
    cell.textContent = share(value);
    cell.dataset.value = value ?? "";
    cell.className = `num q q${Math.min(9, Math.floor((value ?? 0) * 10))}`;
    cell.title = `${run[r][0]} right, ${run[r][1]} wrong, ${run[r][2]} missed`;
  }));
  host.prepend(html("div", { class: "controls" }, choice("Measure", names, show).node));
  show(0);
}
