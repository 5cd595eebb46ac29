// Alternatives: a list chooses which panel is seen.
for (const host of document.querySelectorAll("[data-panels]")) {
  const parts = [...host.querySelectorAll(":scope > [data-panel]")];
  const show = (k) => parts.forEach((part, i) => { part.hidden = i !== k; });
  if (parts.length > 1) {
    host.prepend(html("div", { class: "controls" }, choice(host.dataset.panels, parts.map((part) => clip(part.dataset.panel, 60)), show).node));
    show(0);
  }
}
