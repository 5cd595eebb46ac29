// Numbers as the tables of papers print them: no zero before the point.
function share(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  return value.toFixed(digits).replace(/^(-?)0\./, "$1.");
}
function amount(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  if (Math.abs(value) <= 1) return share(value);
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 3 });
}
// A number at an axis: no more digits than it needs.
const atAxis = (value) => (Math.abs(value) < 1 && value ? String(Number(value.toPrecision(6))).replace(/^(-?)0\./, "$1.") : amount(value));
const ratio = (above, below, undefinedValue) => (below ? above / below : undefinedValue);

// Round numbers from low to high, about `count` of them.
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1) || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find((unit) => unit * power >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-6; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}
function logTicks(low, high) {
  const units = high / low > 50 ? [1, 3] : [1, 2, 5];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (const unit of units) {
      const value = unit * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
    }
  }
  return found;
}
function scale(axis, from, to) {
  const map = axis.log ? Math.log10 : (value) => value;
  const [low, high] = [map(axis.min), map(axis.max)];
  return (value) => from + ((map(value) - low) / (high - low || 1)) * (to - from);
}
