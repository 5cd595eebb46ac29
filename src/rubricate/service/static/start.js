"use strict";
document.getElementById("create")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  const names = form.get("categories").split("\n").map((name) => name.trim()).filter(Boolean);
  const paths = names.filter((name) => name.includes(" > "));
  const taxonomy = [];
  for (const path of paths) {
    const steps = path.split(" > ").map((step) => step.trim());
    for (let i = 1; i < steps.length; i++) taxonomy.push([steps[i - 1], steps[i]]);
  }
  const categories = names.filter((name) => !name.includes(" > "));
  try {
    const body = { name: form.get("name"), categories, kind: form.get("kind") };
    if (taxonomy.length) body.taxonomy = taxonomy;
    const made = await call("POST", "/projects", body);
    location.href = part("p", made.name, "documents");
  } catch (error) {
    say(error.message, true);
  }
});
