// Lines. data.views: [{name, x: {label, min, max, log}, y: {label, min, max}, note,
//   series: [{name, slot, points: [[x, y, what]], band: [[x, low, high]], at: [x, y, what]}]}]
// `slot` picks the colour and the sign, `what` is said of a point, `at` is a single open sign on top.
const SIGNS = [
  (x, y, r) => `M${x - r},${y}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`,
  (x, y, r) => `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => `M${x},${y - 1.3 * r}l${1.25 * r},${2.2 * r}h${-2.5 * r}z`,
  (x, y, r) => `M${x},${y - 1.4 * r}l${1.4 * r},${1.4 * r}l${-1.4 * r},${1.4 * r}l${-1.4 * r},${-1.4 * r}z`,
];
const sign = (slot, x, y, r = 3.5) => SIGNS[slot % SIGNS.length](x, y, r);
const dotted = (slot) => (slot % 8 < 4 ? "dot" : "open");
const colour = (slot) => `c${slot % 8}`;
const dashes = (slot) => (slot % 16 >= 8 ? "7 4" : null);

class Lines {
  constructor(host, label) {
    this.off = new Set();
    this.legend = html("div", { class: "legend", role: "group", "aria-label": "Show or hide" });
    this.canvas = html("div");
    this.readout = html("p", { class: "readout", "aria-live": "polite" });
    this.label = label;
    host.append(this.legend, this.canvas, this.readout);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.read(null));
    this.canvas.addEventListener("keydown", (event) => this.step(event));
    whenSized(this.canvas, (width) => { this.width = width; if (this.view) this.draw(); });
  }

  show(view) {
    this.view = view;
    this.place = null;
    this.drawLegend();
    if (this.width) this.draw();
  }

  get seen() { return this.view.series.filter((one) => !this.off.has(one.name)); }

  drawLegend() {
    this.legend.replaceChildren(...this.view.series.map((one) => {
      const line = svg("path", { d: "M0,5h22", class: `series ${colour(one.slot)}`, "stroke-dasharray": dashes(one.slot) });
      const dot = svg("path", { d: sign(one.slot, 11, 5), class: `${dotted(one.slot)} ${colour(one.slot)}` });
      const button = html("button", { type: "button", "aria-pressed": String(!this.off.has(one.name)) },
        svg("svg", { viewBox: "0 0 22 10", "aria-hidden": "true" }, line, dot), bdi(one.name));
      button.addEventListener("click", () => {
        if (!this.off.delete(one.name)) this.off.add(one.name);
        button.setAttribute("aria-pressed", String(!this.off.has(one.name)));
        this.draw();
      });
      return button;
    }));
    this.legend.hidden = this.view.series.length < 2;
  }

  draw() {
    const { view, width } = this;
    const wide = width > 520 && view.series.length > 1 && !view.unlabelled;
    const room = wide ? Math.min(130, 22 + 7.2 * Math.max(...view.series.map((one) => Math.min(one.name.length, 15)))) : 14;
    const box = { left: 46, right: width - room, top: 26, bottom: (view.height || Math.min(350, Math.max(240, width * 0.46))) - 42 };
    this.x = scale(view.x, box.left, box.right);
    this.y = scale(view.y, box.bottom, box.top);
    const parts = [frame(view, box, this.x, this.y), this.seen.map((one) => this.drawSeries(one))];
    if (wide) parts.push(this.drawLabels(box));
    this.cross = svg("g");
    this.box = box;
    const height = box.bottom + 42;
    this.canvas.replaceChildren(svg("svg", {
      viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: "0",
      "aria-label": `${this.label}. ${view.name || ""} ${view.y.label} against ${view.x.label}. The arrow keys read the values.`,
    }, parts, this.cross));
    this.read(null);
  }

  drawSeries(one) {
    const points = one.points.filter(([, y]) => y !== null);
    const at = ([x, y]) => `${this.x(x).toFixed(1)},${this.y(y).toFixed(1)}`;
    const parts = [];
    if (one.band && one.band.length > 1) {
      const edge = [...one.band.map(([x, , high]) => [x, high]), ...one.band.map(([x, low]) => [x, low]).reverse()];
      parts.push(svg("path", { class: `area ${colour(one.slot)}`, d: `M${edge.map(at).join("L")}z` }));
    }
    if (points.length > 1) {
      parts.push(svg("path", { class: `series ${colour(one.slot)}`, "stroke-dasharray": dashes(one.slot), d: `M${points.map(at).join("L")}` }));
    }
    if (points.length <= 16) {
      for (const [x, y] of points) parts.push(svg("path", { class: `${dotted(one.slot)} ${colour(one.slot)}`, d: sign(one.slot, this.x(x), this.y(y)) }));
    }
    if (one.at) parts.push(svg("path", { class: `open ${colour(one.slot)}`, d: sign(one.slot, this.x(one.at[0]), this.y(one.at[1]), 5) }));
    return parts;
  }

  drawLabels(box) {
    const ends = this.seen.map((one) => ({ one, last: one.points.filter(([, y]) => y !== null).at(-1) })).filter(({ last }) => last);
    ends.forEach((end) => { end.y = this.y(end.last[1]); });
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, i) => { if (i) end.y = Math.max(end.y, ends[i - 1].y + 15); });
    const over = ends.length ? Math.max(0, ends.at(-1).y - box.bottom) : 0;
    return ends.map(({ one, y }) => {
      const name = one.name.length > 15 ? `${one.name.slice(0, 14)}…` : one.name;
      return svg("text", { class: `label halo ${colour(one.slot)}`, x: box.right + 10, y: y - over + 4 }, name);
    });
  }

  places() { return [...new Set(this.seen.flatMap((one) => one.points.filter(([, y]) => y !== null).map(([x]) => x)))].sort((a, b) => a - b); }

  point(event) {
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    const all = this.places();
    if (all.length) this.read(all.reduce((best, one) => (Math.abs(this.x(one) - x) < Math.abs(this.x(best) - x) ? one : best)));
  }

  step(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const all = this.places();
    if (!move || !all.length) return;
    event.preventDefault();
    const now = this.place === null ? (move > 0 ? -1 : all.length) : all.indexOf(this.place);
    this.read(all[Math.min(Math.max(now + move, 0), all.length - 1)]);
  }

  // Says what the lines are at a place: each by its nearest point.
  read(place) {
    this.place = place;
    if (place === null) {
      this.cross.replaceChildren();
      this.readout.textContent = this.view.note || "";
      return;
    }
    const found = this.seen.map((one) => ({ one, point: nearest(one.points, place) })).filter(({ point }) => point);
    this.cross.replaceChildren(svg("line", { class: "cross", x1: this.x(place), x2: this.x(place), y1: this.box.top, y2: this.box.bottom }),
      ...found.map(({ one, point }) => svg("path", { class: `open ${colour(one.slot)}`, d: sign(one.slot, this.x(point[0]), this.y(point[1]), 4.5) })));
    const said = found.find(({ point }) => point[2])?.point[2];
    const values = found.flatMap(({ one, point }, i) => [i ? "  ·  " : "", bdi(one.name), " ", html("b", {}, amount(point[1]))]);
    this.readout.replaceChildren(said || `${this.view.x.label} ${amount(place)}`, ":  ", ...values);
  }
}

function nearest(points, place) {
  let best = null;
  for (const point of points) {
    if (point[1] !== null && (best === null || Math.abs(point[0] - place) < Math.abs(best[0] - place))) best = point;
  }
  return best;
}

// Grid, numbers and names of the axes.
function frame(view, box, x, y) {
  const across = view.x.log ? logTicks(view.x.min, view.x.max) : ticks(view.x.min, view.x.max, Math.min(8, (box.right - box.left) / 70));
  const up = ticks(view.y.min, view.y.max, 5);
  return [
    up.map((value) => [
      svg("line", { class: value === 0 ? "grid zero" : "grid", x1: box.left, x2: box.right, y1: y(value), y2: y(value) }),
      svg("text", { class: "axis", x: box.left - 8, y: y(value) + 4, "text-anchor": "end" }, atAxis(value)),
    ]),
    across.map((value) => svg("text", { class: "axis", x: x(value), y: box.bottom + 18, "text-anchor": "middle" }, atAxis(value))),
    svg("text", { class: "axis", x: (box.left + box.right) / 2, y: box.bottom + 37, "text-anchor": "middle" }, view.x.label),
    svg("text", { class: "axis", x: 0, y: box.top - 12, "text-anchor": "start" }, view.y.label),
  ];
}

// The same numbers as a table, made when it is opened.
function numbersTable(view) {
  const places = [...new Set(view.series.flatMap((one) => one.points.map(([x]) => x)))].sort((a, b) => a - b);
  const value = (one, place) => one.points.find(([x]) => x === place)?.[1];
  const what = (place) => view.series.map((one) => one.points.find(([x]) => x === place)?.[2]).find(Boolean);
  return html("div", { class: "scroll" }, html("table", {},
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, view.x.label), view.series.map((one) => html("th", { scope: "col", class: "num" }, bdi(one.name))))),
    html("tbody", {}, places.map((place) => html("tr", {}, html("th", { scope: "row" }, what(place) || amount(place)),
      view.series.map((one) => html("td", { class: "num" }, amount(value(one, place)))))))));
}

function drawLines(host, data, label) {
  let shown = 0;
  const controls = html("div", { class: "controls" });
  host.append(controls);
  const lines = new Lines(host, label);
  const more = html("details", {}, html("summary", {}, "The numbers"));
  const show = (k) => {
    shown = k;
    lines.show(data.views[k]);
    if (more.open) more.lastChild.replaceWith(numbersTable(data.views[k]));
  };
  if (data.views.length > 1) controls.append(choice("Show", data.views.map((view) => view.name), show).node);
  else controls.remove();
  more.addEventListener("toggle", () => {
    if (more.children.length > 1) more.lastChild.remove();
    if (more.open) more.append(numbersTable(data.views[shown]));
  });
  host.append(more);
  show(0);
}
