// Numbers as the tables of the page print them: no zero before the point.
function share(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  return value.toFixed(digits).replace(/^(-?)0\./, "$1.");
}
// Numbers as the charts print them.
function amount(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  if (Math.abs(value) < 1) return String(Number(value.toPrecision(3)));
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 3 });
}
const ratio = (above, below, undefinedValue) => (below ? above / below : undefinedValue);
const clip = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
