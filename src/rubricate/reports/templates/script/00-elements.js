// Elements are made by name and filled by textContent: no text is ever parsed as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}
const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const bdi = (text) => html("bdi", {}, text);

// A list of choices under a label; calls `chosen` with the position.
function choice(label, options, chosen) {
  const list = html("select", {}, options.map((text, i) => html("option", { value: i }, text)));
  list.addEventListener("change", () => chosen(Number(list.value)));
  return { node: html("label", {}, label, list), list };
}
