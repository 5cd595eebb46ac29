// Every figure is drawn; the theme is kept where the browser allows it.
const CHARTS = { lines: drawLines, intervals: drawIntervals, curves: drawCurves, confusion: drawConfusion, categories: drawCategories };
function drawFigure(figure) {
  const host = html("div");
  const data = JSON.parse(figure.querySelector("script").textContent);
  figure.prepend(host);
  CHARTS[figure.dataset.chart](host, data, figure.dataset.label);
}
document.querySelectorAll("[data-chart]").forEach(drawFigure);

const remembered = {
  get() { try { return localStorage.getItem("rubricate-theme"); } catch { return null; } },
  set(value) { try { localStorage.setItem("rubricate-theme", value); } catch { /* a file opened in private mode */ } },
};
const theme = document.querySelector(".theme");
const isDark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const nameTheme = () => { theme.textContent = isDark() ? "☀ Light" : "☾ Dark"; };
if (["light", "dark"].includes(remembered.get())) document.documentElement.dataset.theme = remembered.get();
theme.hidden = false;
nameTheme();
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  remembered.set(document.documentElement.dataset.theme);
  nameTheme();
});
