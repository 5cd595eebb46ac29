// Precision–recall and threshold sweep of any category; the page comes with the drawings of the first.
// data: {categories: [name], positives: [n], runs: [name], first: the category shown first,
//   points: [run][category] = [more tp, more fp, threshold, …] from one threshold to the next, decided: [run][category] = [tp, fp]}
// 0/0 precision is shown as 1 (nothing given, nothing wrong) in these two figures.
function ratesAt(tp, fp, threshold, positives) {
  return { threshold, precision: ratio(tp, tp + fp, 1), recall: ratio(tp, positives, 0), f1: ratio(2 * tp, tp + fp + positives, 0), given: tp + fp };
}
function ratesOf(data, run, category) {
  const flat = data.points[run][category];
  let [tp, fp] = [0, 0];
  return Array.from({ length: flat.length / 3 }, (_, k) =>
    ratesAt((tp += flat[3 * k]), (fp += flat[3 * k + 1]), flat[3 * k + 2], data.positives[category]));
}

// Round numbers from low to high, about `count` of them.
function ticks(low, high, count) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find((unit) => unit * power >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-6; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

// Put other points, [x, y, words], into a drawing whose vertical axis goes from 0 to 1; `at` are single open signs.
function redraw(drawing, [low, high], series, at = []) {
  const numbers = drawing.querySelector("[data-box]");
  const [left, right, top, bottom] = numbers.dataset.box.split(" ").map(Number);
  const x = (value) => (left + ((value - low) / (high - low || 1)) * (right - left)).toFixed(1);
  const y = (value) => (bottom - value * (bottom - top)).toFixed(1);
  numbers.replaceChildren(...ticks(low, high, 4).map((value) => svg("text", { x: x(value), y: bottom + 18 }, amount(value))));
  series.forEach(({ points }, k) => {
    const group = drawing.querySelector(`[data-series="${k}"]`);
    group.querySelector(".series").setAttribute("d", points.length ? `M${points.map((p) => `${x(p[0])} ${y(p[1])}`).join("L")}` : "");
    if (at[k]) group.querySelector(".at").setAttribute("transform", `translate(${x(at[k][0])} ${y(at[k][1])})`);
  });
  drawing.querySelector(".places")?.remove();
  drawing.append(svg("g", { class: "places", fill: "none", "pointer-events": "all" }, placesOf(series).map(([place, words], i, all) => {
    const [from, to] = [i ? (all[i - 1][0] + place) / 2 : low, i < all.length - 1 ? (place + all[i + 1][0]) / 2 : high];
    return svg("g", { class: "place" }, svg("title", {}, words), svg("path", { d: `M${x(from)} ${top}H${x(to)}V${bottom}H${x(from)}z` }),
      svg("path", { d: `M${x(place)} ${top}V${bottom}` }));
  })));
}

// Every place with what is to be told of it: the words of the place, then each series with the value of its nearest point.
function placesOf(series) {
  const all = new Map(series.flatMap(({ points }) => points.map(([x, , words]) => [x, words])));
  const nearest = (points, x) => points.reduce((best, one) => (!best || Math.abs(one[0] - x) < Math.abs(best[0] - x) ? one : best), null);
  return [...all].sort(([a], [b]) => a - b).map(([x, words]) =>
    [x, [words, ...series.map(({ name, points }) => `${name}  ${amount(nearest(points, x)?.[1])}`)].join("\n")]);
}

function drawCurves(figure, data) {
  const state = { category: data.first, run: 0 };
  const category = choice("Category", data.categories.map((name, c) => `${clip(name, 50)} (${amount(data.positives[c])})`), (k) => { state.category = k; show(); });
  const run = choice("System of the sweep", data.runs.map((name) => clip(name, 30)), (k) => { state.run = k; show(); });
  category.list.value = data.first;
  figure.prepend(html("div", { class: "controls" }, category.node, run.node));
  const [left, right] = figure.querySelectorAll("svg[tabindex]");
  const heads = figure.querySelectorAll("h3");
  const show = () => {
    const name = () => bdi(clip(data.categories[state.category], 40));
    heads[0].replaceChildren("Precision against recall: ", name());
    heads[1].replaceChildren("Threshold sweep: ", name(), ` (${clip(data.runs[state.run], 40)})`);
    const curve = (run) => ratesOf(data, run, state.category).map((rates) => [rates.recall, rates.precision, `recall ${amount(rates.recall)}`]);
    const decided = data.decided.map((own) => ratesAt(...own[state.category], null, data.positives[state.category]));
    redraw(left, [0, 1], data.runs.map((name, k) => ({ name, points: curve(k) })), decided.map((rates) => [rates.recall, rates.precision]));
    const rates = ratesOf(data, state.run, state.category).filter((one) => one.threshold !== null).reverse();
    const words = (one) => `threshold ${amount(one.threshold)}, given ${amount(one.given)} times`;
    const swept = ["F1", "precision", "recall"].map((name) => ({ name, points: rates.map((one) => [one.threshold, one[name.toLowerCase()], words(one)]) }));
    redraw(right, rates.length ? [rates[0].threshold, rates.at(-1).threshold] : [0, 1], swept);
  };
  show();
}
