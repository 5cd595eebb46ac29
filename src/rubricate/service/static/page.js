"use strict";
// What all pages share: calls of the service, messages, building elements from text (never from markup).
const csrf = document.querySelector('meta[name="csrf"]').content;

async function call(method, path, body) {
  const options = { method, headers: {} };
  if (csrf) options.headers["X-CSRF-Token"] = csrf;
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The service does not answer. What was acknowledged is kept; try again.");
  }
  const kind = answer.headers.get("content-type") || "";
  const content = kind.startsWith("application/json") ? await answer.json() : await answer.text();
  if (!answer.ok) throw new Error(content.detail || `The service answered ${answer.status}.`);
  return content;
}

function say(text, bad = false) {
  const place = document.getElementById("message");
  place.textContent = text;
  place.classList.toggle("bad", bad);
}

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function pageData() {
  const place = document.querySelector('script[type="application/json"]');
  return place ? JSON.parse(place.textContent) : {};
}

function part(...names) {
  return "/" + names.map((name) => encodeURIComponent(name)).join("/");
}

// Show a text with the places that spoke for or against a category. Offsets count code points.
function marked(text, places) {
  const signs = Array.from(text);
  const most = Math.max(...places.map((each) => Math.abs(each.weight)), 1e-9);
  const pieces = [];
  let at = 0;
  for (const each of [...places].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (each.start < at) continue;
    pieces.push(signs.slice(at, each.start).join(""));
    const kind = each.weight > 0 ? "for" : "against";
    const strong = Math.abs(each.weight) > most / 2 ? " strong" : "";
    const title = `${each.weight > 0 ? "for" : "against"}: ${Math.abs(each.weight).toPrecision(2)}`;
    pieces.push(element("mark", { className: kind + strong, title }, signs.slice(each.start, each.end).join("")));
    at = each.end;
  }
  pieces.push(signs.slice(at).join(""));
  return pieces;
}

document.getElementById("logout")?.addEventListener("click", async () => {
  await call("POST", "/logout");
  location.href = "/login";
});

for (const link of document.querySelectorAll("nav a"))
  if (link.pathname === location.pathname) link.setAttribute("aria-current", "page");
