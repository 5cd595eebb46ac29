"use strict";
// Try: labels, candidates, highlighted words for the chosen category, and what would change the answer.
const form = document.getElementById("try");
const result = document.getElementById("result");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const model = form.elements.model.value;
  const text = form.elements.text.value;
  say("");
  try {
    const [answer] = (await call("POST", part("models", model, "classify"),
      { documents: [{ text }], top: 10, explain: 0 })).documents;
    show(model, text, answer);
    const chosen = (answer.labels || [])[0] || Object.keys(answer.scores)[0];
    if (chosen) await explain(model, text, chosen);
  } catch (error) {
    say(error.message, true);
  }
});

function show(model, text, answer) {
  const labels = answer.labels || [];
  const sure = answer.confidence === null ? "" : ` The chance that this is exactly right: ${Math.round(100 * answer.confidence)} %.`;
  const rows = Object.entries(answer.scores).map(([name, score]) => {
    const button = element("button", { type: "button", "aria-pressed": "false" }, element("bdi", {}, name));
    button.dataset.category = name;
    button.addEventListener("click", () => explain(model, text, name));
    return element("tr", {}, element("td", {}, button), element("td", { className: "num" }, score === null ? "–" : score.toFixed(3)),
      element("td", {}, labels.includes(name) ? "assigned" : ""));
  });
  const head = element("tr", {}, element("th", {}, "Category"), element("th", { className: "num" }, "Score"), element("th", {}, ""));
  result.replaceChildren(
    element("h2", {}, "Labels"),
    element("p", { id: "labels" }, ...(labels.length ? labels.map((name) => element("bdi", { className: "chip" }, name)) : ["No category."]), sure),
    element("h2", {}, "Why"),
    element("p", { id: "why", className: "quiet" }),
    element("div", { className: "text", id: "marked", tabIndex: 0, role: "region", "aria-label": "The text with the words that count" }, text),
    element("div", { id: "more" }),
    element("h2", {}, "Candidates"),
    element("div", { className: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))),
  );
}

async function explain(model, text, category) {
  for (const button of result.querySelectorAll("button[data-category]"))
    button.setAttribute("aria-pressed", String(button.dataset.category === category));
  try {
    const found = await call("POST", part("models", model, "explain"), { text, category });
    document.getElementById("why").replaceChildren("Words for (green; underlined where they count most) and against (red, dotted) ", element("bdi", {}, category), ":");
    document.getElementById("marked").replaceChildren(...marked(text, found.evidence));
    const more = [];
    if (found.change) {
      const labels = found.change.labels.length ? found.change.labels.join(", ") : "no category";
      more.push(element("p", { id: "change" }, `Without ${found.change.without.map((word) => `“${word}”`).join(", ")} the answer would be: ${labels}.`));
    }
    if (found.reasons.length)
      more.push(element("p", {}, "Other reasons: " + found.reasons.map((each) => each.source).join("; ")));
    if (found.nearest.length)
      more.push(element("h2", {}, "Nearest labelled documents"),
        element("ul", { id: "nearest" }, ...found.nearest.map((each) => element("li", {},
          element("bdi", {}, each.text), ` (${Math.round(100 * each.similarity)} % alike) `, ...each.labels.map((name) => element("bdi", { className: "chip" }, name))))));
    document.getElementById("more").replaceChildren(...more);
  } catch (error) {
    say(error.message, true);
  }
}
