"use strict";
// Labelling by keyboard. Documents are fetched ahead; a label counts as saved when the service has acknowledged it.
const data = pageData();
const AHEAD = 5;
const KEYS = "123456789";
const RETRY = 3000; // milliseconds after which documents are asked for again, where the service did not answer
const state = { queue: [], current: null, chosen: new Set(), saved: [], count: data.labelled, fetching: null, failed: false, round: 0, shown: [], skipped: new Set(), given: new Set(),
  open: new Set(data.tree && data.tree[""].length < 4 ? data.tree[""] : []) };
const $ = (id) => document.getElementById(id);

function annotator() { return $("annotator").value.trim(); }

// One request at a time; whoever needs documents meanwhile waits for the same one.
function fetchMore() {
  if (!state.fetching) {
    const own = fetchPage().finally(() => { if (state.fetching === own) state.fetching = null; });
    state.fetching = own;
  }
  return state.fetching;
}

// Another name or another order: documents that were fetched for the former one, or are on their way, do not count.
function restart() {
  state.round += 1;
  Object.assign(state, { queue: [], current: null, fetching: null });
  next();
}

async function fetchPage() {
  const order = $("order").value, round = state.round;
  try {
    const page = await call("POST", part("projects", data.project, "queue"), { order, n: 10, annotator: annotator(),
      random_share: order === "random" ? 0 : 0.1, overlap: Number($("overlap").value) });
    if (round !== state.round) return;
    state.failed = false;
    const known = new Set([state.current?.id, ...state.queue.map((each) => each.id), ...state.skipped, ...state.given]);
    state.queue.push(...page.documents.filter((each) => !known.has(each.id)));
    $("note").textContent = page.order === order ? "" : "No model yet: documents come in random order.";
  } catch (error) {
    if (round !== state.round) return;
    state.failed = true;
    say(error.message, true);
    setTimeout(() => { if (round === state.round && !state.current) next(); }, RETRY);
  }
}

async function next() {
  const round = state.round;
  if (!state.queue.length) await fetchMore();
  if (round !== state.round) return;
  state.current = state.queue.shift() || null;
  state.chosen = new Set();
  show();
  if (state.queue.length < AHEAD) fetchMore();
}

function show() {
  const document_ = state.current;
  $("done").textContent = `${state.count.toLocaleString()} of ${data.documents.toLocaleString()} documents labelled`;
  $("work").hidden = !document_;
  $("empty").hidden = !!document_ || state.failed || !annotator();
  if (!document_) return;
  $("id").textContent = document_.id;
  $("title").textContent = document_.title || "";
  $("title").parentElement.hidden = !document_.title;
  $("text").textContent = document_.text || "(This document has no text.)";
  $("text").scrollTop = 0;
  const suggested = $("suggest").checked && document_.suggested ? document_.suggested : [];
  $("suggestion").textContent = suggested.length
    ? `Suggested: ${suggested.join(", ")}` + (document_.confidence === null ? "" : ` (${Math.round(100 * document_.confidence)} % sure)`) : "";
  $("accept").hidden = !suggested.length;
  list();
}

function button(each, key) {
  const made = element("button", { type: "button", "aria-pressed": String(state.chosen.has(each.name)) });
  if (key) made.append(element("kbd", {}, key));
  made.append(element("bdi", {}, each.path));
  made.dataset.name = each.name;
  made.addEventListener("click", () => choose(each.name));
  return made;
}

function list() {
  const wanted = $("search").value.trim().toLowerCase();
  const all = data.categories;
  const tree = data.tree && !wanted;
  state.shown = (wanted ? all.filter((each) => each.path.toLowerCase().includes(wanted)) : all)
    .slice(0, wanted ? 60 : tree ? KEYS.length : 30);
  $("categories").replaceChildren(...state.shown.map((each, place) => button(each, wanted ? "" : KEYS[place])));
  $("tree").hidden = !tree;
  $("tree").replaceChildren(...(tree ? [branch("")] : []));
  const rest = all.length - state.shown.length;
  $("rest").textContent = !wanted && rest > 0
    ? `${rest.toLocaleString()} further categories: ${tree ? "open the tree, or " : ""}press / and type.` : "";
}

// A branch of the hierarchy; what is folded up is not built, so that thousands of categories stay fast.
function branch(parent) {
  return element("ul", {}, ...data.tree[parent].map((name) => {
    const item = element("li", {});
    if (data.tree[name]) {
      const open = state.open.has(name);
      const fold = element("button", { type: "button", className: "fold", "aria-expanded": String(open),
        "aria-label": `What is under ${name}` }, open ? "▾" : "▸");
      fold.addEventListener("click", () => {
        if (open) state.open.delete(name); else state.open.add(name);
        list();
        [...$("tree").querySelectorAll(".fold")].find((each) => each.dataset.name === name)?.focus();
      });
      fold.dataset.name = name;
      item.append(fold);
    }
    item.append(button({ name, path: name }));
    if (data.tree[name] && state.open.has(name)) item.append(branch(name));
    return item;
  }));
}

function choose(name) {
  if (data.kind === "single") { state.chosen = new Set([name]); return save(); }
  if (state.chosen.has(name)) state.chosen.delete(name); else state.chosen.add(name);
  list();
}

async function save() {
  const document_ = state.current;
  if (!document_) return;
  if (!annotator()) { say("Write your name first.", true); $("annotator").focus(); return; }
  if (data.kind === "single" && state.chosen.size !== 1) return say("Choose one category.", true);
  const labels = [...state.chosen];
  $("search").value = "";
  state.given.add(document_.id); // on its way: not to be handed out again
  const moved = next();
  try {
    const answer = await call("POST", part("projects", data.project, "labels"), { document: document_.id, labels, annotator: annotator() });
    state.saved.push({ event: answer.event, document: document_.id, entry: document_ });
    state.count += 1;
    $("done").textContent = `${state.count.toLocaleString()} of ${data.documents.toLocaleString()} documents labelled`;
    $("saved").textContent = `Saved: ${document_.id} → ${labels.join(", ") || "no category"}`;
    say("");
  } catch (error) {
    state.given.delete(document_.id);
    state.queue.unshift(document_);
    say(`Not saved: ${document_.id}. ${error.message}`, true);
  }
  await moved;
}

async function undo() {
  const last = state.saved.pop();
  if (!last) return say("Nothing to undo.");
  try {
    await call("DELETE", part("projects", data.project, "labels", String(last.event)));
    state.given.delete(last.document);
    if (state.current) state.queue.unshift(state.current);
    state.queue = state.queue.filter((each) => each.id !== last.document);
    state.current = last.entry;
    state.chosen = new Set();
    state.count -= 1;
    $("saved").textContent = `Undone: ${last.document}`;
    show();
  } catch (error) {
    state.saved.push(last);
    say(error.message, true);
  }
}

function skip() {
  if (state.current) state.skipped.add(state.current.id);
  next();
}

function accept() {
  if (!state.current?.suggested || !$("suggest").checked) return;
  state.chosen = new Set(state.current.suggested);
  save();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input[type=text], input[type=search], select, textarea");
  if (event.target === $("search")) {
    if (event.key === "Enter") {
      event.preventDefault();
      if (state.shown[0]) choose(state.shown[0].name);
      $("search").value = "";
      $("search").blur();
      list();
    } else if (event.key === "Escape") { $("search").value = ""; $("search").blur(); list(); }
    return;
  }
  if (typing) return;
  const place = KEYS.indexOf(event.key);
  if (place >= 0 && state.shown[place]) choose(state.shown[place].name);
  else if (event.key === "Enter" && event.target.tagName !== "BUTTON") save();
  else if (event.key === "/") { event.preventDefault(); $("search").focus(); }
  else if (event.key === "u") undo();
  else if (event.key === "s") skip();
  else if (event.key === "a") accept();
  else return;
  if (event.key !== "Enter") event.preventDefault();
});

$("search").addEventListener("input", list);
$("save").addEventListener("click", save);
$("undo").addEventListener("click", undo);
$("skip").addEventListener("click", skip);
$("accept").addEventListener("click", accept);
$("suggest").addEventListener("change", show);
for (const name of ["order", "overlap"]) $(name).addEventListener("change", restart);
$("annotator").addEventListener("change", () => { localStorage.setItem("annotator", annotator()); say(""); if (annotator()) restart(); });
if (!$("annotator").readOnly) $("annotator").value = localStorage.getItem("annotator") || $("annotator").value;
const asked = new URLSearchParams(location.search).get("order");
if ([...$("order").options].some((each) => each.value === asked)) $("order").value = asked;
if (annotator()) next(); else { show(); say("Write your name to begin."); $("annotator").focus(); }
