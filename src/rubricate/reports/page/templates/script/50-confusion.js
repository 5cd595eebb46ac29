// Confusion. data: {runs: [{name, categories: [name], cells: [[row, column, count]], missed: [n]}]}
// A row is a category that was missed, a column the category that was given; darker is more.
function drawConfusion(host, data, label) {
  let shown = 0;
  const canvas = html("div");
  const readout = html("p", { class: "readout", "aria-live": "polite" });
  const draw = (width) => {
    const one = data.runs[shown];
    const n = one.categories.length;
    const long = Math.max(...one.categories.map((name) => Math.min(name.length, 14)), 4);
    const side = Math.min(width * 0.32, 20 + 7 * long);
    const size = Math.max(14, Math.min(34, (width - side - 8) / n));
    const most = Math.max(...one.cells.map(([, , count]) => count), 1);
    const place = (i) => side + i * size;
    const fits = Math.floor((side - 12) / 6.6);
    const names = one.categories.map((name, i) => [
      svg("text", { x: side - 8, y: place(i) + size / 2 + 4, "text-anchor": "end" }, clip(name, fits)),
      svg("text", { transform: `translate(${place(i) + size / 2 + 4},${side - 8}) rotate(-90)` }, clip(name, fits)),
    ]);
    const lines = [...Array(n + 1).keys()].map((i) => [
      svg("line", { class: "grid", x1: place(0), x2: place(n), y1: place(i), y2: place(i) }),
      svg("line", { class: "grid", x1: place(i), x2: place(i), y1: place(0), y2: place(n) }),
    ]);
    const cells = one.cells.map(([row, column, count]) => {
      const say = () => readout.replaceChildren(html("b", {}, amount(count)), " × missed ", bdi(one.categories[row]), ", given ", bdi(one.categories[column]), ` (missed ${amount(one.missed[row])} times in all)`);
      const cell = svg("g", { tabindex: "0", role: "listitem", "aria-label": `missed ${one.categories[row]}, given ${one.categories[column]}: ${count}` },
        svg("rect", { class: "cell", x: place(column) + 1, y: place(row) + 1, width: size - 2, height: size - 2, rx: 2, "fill-opacity": (0.12 + 0.78 * count / most).toFixed(3) }),
        size > 20 ? svg("text", { class: "halo", x: place(column) + size / 2, y: place(row) + size / 2 + 4, "text-anchor": "middle" }, count) : null);
      for (const event of ["pointerenter", "focus"]) cell.addEventListener(event, say);
      return cell;
    });
    const end = place(n) + 8;
    canvas.replaceChildren(svg("svg", { viewBox: `0 0 ${Math.max(width, end)} ${end}`, role: "list", "aria-label": label }, lines, names, cells));
  };
  if (data.runs.length > 1) host.append(html("div", { class: "controls" }, choice("System", data.runs.map((run) => clip(run.name, 30)), (k) => { shown = k; readout.textContent = hint; draw(canvas.clientWidth); }).node));
  const hint = "Rows: the category that was missed. Columns: the category given instead. Point at a cell to read it.";
  host.append(canvas, readout);
  readout.textContent = hint;
  whenSized(canvas, draw);
}
