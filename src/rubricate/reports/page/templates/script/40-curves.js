// Precision–recall and threshold sweep of one category.
// data: {categories: [name], positives: [n], documents, runs: [name],
//   points: [run][category] = [tp, fp, threshold, tp, fp, threshold, …], decided: [run][category] = [tp, fp], first: the category shown first}
// 0/0 precision is shown as 1 (nothing given, nothing wrong) in these two figures.
function cutsOf(data, run, category) {
  const flat = data.points[run][category];
  const cuts = [];
  for (let k = 0; k < flat.length; k += 3) cuts.push(cutAt(flat[k], flat[k + 1], flat[k + 2], data.positives[category]));
  return cuts;
}
function cutAt(tp, fp, threshold, positives) {
  return { threshold, precision: ratio(tp, tp + fp, 1), recall: ratio(tp, positives, 0), f1: ratio(2 * tp, tp + fp + positives, 0), given: tp + fp };
}

function recallView(data, category) {
  const series = data.runs.map((name, run) => {
    const [tp, fp] = data.decided[run][category];
    const at = cutAt(tp, fp, null, data.positives[category]);
    const points = cutsOf(data, run, category).map((cut) => [cut.recall, cut.precision, null]);
    return { name, slot: run, points, at: [at.recall, at.precision] };
  });
  const note = "The open signs are the decisions that were made.";
  return { x: { label: "recall", min: 0, max: 1 }, y: { label: "precision", min: 0, max: 1 }, series, note, height: 320, unlabelled: true };
}

function sweepView(data, category, run) {
  const cuts = cutsOf(data, run, category).filter((cut) => cut.threshold !== null);
  const said = (cut) => `threshold ${amount(cut.threshold)}, given ${amount(cut.given)} times`;
  const line = (name, slot, key) => ({ name, slot, points: cuts.map((cut) => [cut.threshold, cut[key], said(cut)]).reverse() });
  const ends = cuts.map((cut) => cut.threshold);
  const low = Math.min(...ends, Infinity);
  const x = { label: "threshold", min: Number.isFinite(low) ? low : 0, max: Number.isFinite(low) ? Math.max(...ends) : 1 };
  const series = [line("F1", 0, "f1"), line("precision", 1, "precision"), line("recall", 2, "recall")];
  return { x, y: { label: "", min: 0, max: 1 }, series, note: "Move along the figure to read the values at a threshold.", height: 320, unlabelled: true };
}

function drawCurves(host, data, label) {
  const state = { category: data.first, run: 0 };
  const category = choice("Category", data.categories.map((name, c) => `${clip(name, 50)} (${amount(data.positives[c])})`), (k) => { state.category = k; show(); });
  const run = choice("System of the sweep", data.runs.map((name) => clip(name, 30)), (k) => { state.run = k; show(); });
  category.list.value = data.first;
  const heads = [html("h3"), html("h3")];
  const [left, right] = heads.map((head) => html("div", {}, head));
  host.append(html("div", { class: "controls" }, category.node, run.node), html("div", { class: "pair" }, left, right));
  const [recall, sweep] = [new Lines(left, `${label}: precision and recall`), new Lines(right, `${label}: threshold sweep`)];
  const show = () => {
    const name = () => bdi(clip(data.categories[state.category], 40));
    heads[0].replaceChildren("Precision against recall: ", name());
    heads[1].replaceChildren("Threshold sweep: ", name(), ` (${data.runs[state.run]})`);
    recall.show(recallView(data, state.category));
    sweep.show(sweepView(data, state.category, state.run));
  };
  show();
}
