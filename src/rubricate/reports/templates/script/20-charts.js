// A chart is drawn already. Here its legend hides systems, and mouse or arrow keys read the values at a place: each
// `.place` of a drawing has a title of lines, the first for the place, one more for each series.
class ChartReader {
  constructor(readout) {
    this.readout = readout;
    this.host = readout.parentElement;
    this.note = readout.textContent;
    this.off = new Set();
    for (const drawing of this.host.querySelectorAll("svg[tabindex]")) {
      drawing.addEventListener("pointerover", (event) => this.read(drawing, event.target.closest(".place")));
      drawing.addEventListener("pointerleave", () => this.read(drawing, null));
      drawing.addEventListener("keydown", (event) => this.step(drawing, event));
    }
    this.buttons = [...this.host.querySelectorAll(".legend button")];
    this.buttons.forEach((button, k) => button.addEventListener("click", () => this.toggle(k)));
  }

  toggle(k) {
    const scope = this.host.closest("[data-panels]") || this.host;
    const off = !this.off.has(k);
    for (const reader of readers.filter((one) => scope.contains(one.host))) {
      off ? reader.off.add(k) : reader.off.delete(k);
      reader.buttons[k]?.setAttribute("aria-pressed", String(!off));
      for (const part of reader.host.querySelectorAll(`[data-series="${k}"]`)) part.toggleAttribute("hidden", off);
    }
  }

  step(drawing, event) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const all = [...drawing.querySelectorAll(".place")];
    if (!move || !all.length) return;
    event.preventDefault();
    const now = all.findIndex((one) => one.matches(".on"));
    this.read(drawing, all[now < 0 ? (move > 0 ? 0 : all.length - 1) : Math.min(Math.max(now + move, 0), all.length - 1)]);
  }

  // The narrow drawing has no titles: its places are those of the wide one.
  words(drawing, place) {
    const k = [...drawing.querySelectorAll(".place")].indexOf(place);
    const titled = place.querySelector("title") ? drawing : this.host.querySelector("svg[tabindex]");
    return titled.querySelectorAll(".place title")[k].textContent;
  }

  read(drawing, place) {
    drawing.querySelector(".place.on")?.classList.remove("on");
    if (!place) { this.readout.textContent = this.note; return; }
    place.classList.add("on");
    const [head, ...lines] = this.words(drawing, place).split("\n");
    const values = lines.filter((_, k) => !this.off.has(k)).flatMap((line, i) => {
      const end = line.lastIndexOf("  ");
      return [i ? "  ·  " : "", bdi(line.slice(0, end)), " ", html("b", {}, line.slice(end + 2))];
    });
    this.readout.replaceChildren(head, ":  ", ...values);
  }
}
const readers = [...document.querySelectorAll(".readout")].map((readout) => new ChartReader(readout));
