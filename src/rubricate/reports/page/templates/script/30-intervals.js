// Intervals. data: {columns: [name], rows: [{name, slot, values: [[value, low, high]]}], min, max}
// One row a system, one panel a column; a filled sign is the value, the line its interval.
function drawIntervals(host, data, label) {
  const canvas = html("div");
  host.append(canvas);
  whenSized(canvas, (width) => {
    const narrow = width < 560;
    const names = narrow ? 0 : Math.min(190, 30 + 7.5 * Math.max(...data.rows.map((row) => Math.min(row.name.length, 22))));
    const step = narrow ? 40 : 32;
    const count = data.columns.length;
    const panel = narrow ? width : (width - names - 24 * (count - 1)) / count;
    const tall = 40 + step * data.rows.length + 24;
    const parts = data.columns.map((column, c) => {
      const left = narrow ? 0 : names + c * (panel + 24);
      const top = narrow ? c * tall : 0;
      return intervalPanel(data, c, { left: left + 8, right: left + panel - 44, top, step, narrow });
    });
    const side = narrow ? [] : data.rows.map((row, i) => svg("text", { x: names - 14, y: 44 + step * i, "text-anchor": "end" }, clip(row.name, 22)));
    canvas.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${narrow ? tall * count : tall}`, role: "img", "aria-label": said(data, label) }, side, parts));
  });
}
const clip = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
const said = (data, label) => `${label}. ${data.rows.map((row) => `${row.name}: ${data.columns.map((column, c) => `${column} ${share(row.values[c][0])}`).join(", ")}`).join(". ")}`;

function intervalPanel(data, c, box) {
  const known = data.rows.flatMap((row) => row.values[c].filter((value) => value !== null));
  const ends = known.length ? known : [0, 1];
  const span = Math.max(Math.max(...ends) - Math.min(...ends), 0.02);
  const axis = { min: Math.max(0, Math.min(...ends) - span * 0.08), max: Math.min(1, Math.max(...ends) + span * 0.08) };
  const x = scale(axis, box.left, box.right);
  const bottom = box.top + 30 + box.step * data.rows.length;
  const marks = ticks(axis.min, axis.max, Math.max(2, (box.right - box.left) / 60));
  return [
    svg("text", { x: box.left, y: box.top + 14, "font-weight": "600" }, data.columns[c]),
    marks.map((value) => [
      svg("line", { class: "grid", x1: x(value), x2: x(value), y1: box.top + 24, y2: bottom }),
      svg("text", { class: "axis", x: x(value), y: bottom + 16, "text-anchor": "middle" }, atAxis(value)),
    ]),
    data.rows.map((row, i) => {
      const y = box.top + 40 + box.step * i + (box.narrow ? 8 : 0);
      const [value, low, high] = row.values[c];
      return [
        box.narrow ? svg("text", { class: "halo", x: box.left, y: y - 9 }, clip(row.name, 30)) : null,
        low === null ? null : svg("line", { class: `series ${colour(row.slot)}`, x1: x(low), x2: x(high), y1: y, y2: y }),
        value === null ? null : svg("path", { class: `${dotted(row.slot)} ${colour(row.slot)}`, d: sign(row.slot, x(value), y, 4.5) }),
        svg("text", { class: "halo", x: box.right + 10, y: y + 4 }, share(value)),
      ];
    }),
  ];
}
