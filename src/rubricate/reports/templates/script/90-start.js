// Figures with choices of their own; the theme is kept where the browser allows it.
const FIGURES = { curves: drawCurves, categories: drawCategories };
for (const figure of document.querySelectorAll("[data-chart]")) {
  FIGURES[figure.dataset.chart](figure, JSON.parse(figure.querySelector("script").textContent));
}

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
