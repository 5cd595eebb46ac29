"use strict";
// Training with progress and cancel; putting a model into use.
const data = pageData();
const bar = document.getElementById("progress");
const cancel = document.getElementById("cancel");
const train = document.getElementById("train");
let job = data.job;

async function watch() {
  while (job !== null) {
    let found;
    try {
      found = await call("GET", part("jobs", String(job)));
    } catch (error) {
      say(error.message, true);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      continue;
    }
    const running = found.state === "waiting" || found.state === "running";
    bar.hidden = cancel.hidden = !running;
    if (train) train.disabled = running;
    if (!running) {
      if (found.state === "done") { sessionStorage.setItem("said", "The model is ready."); location.reload(); return; }
      say(found.state === "cancelled" ? "Cancelled." : found.message, found.state === "failed");
      job = null;
      return;
    }
    if (found.total) { bar.max = found.total; bar.value = found.done; }
    say(`Training: ${found.message || "starting"}` + (found.total ? `, ${found.done} of ${found.total} steps` : ""));
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

train?.addEventListener("click", async () => {
  train.disabled = true; // a second click would ask for a second training
  try {
    job = (await call("POST", part("projects", data.project, "train"), {})).id;
    watch();
  } catch (error) {
    train.disabled = false;
    say(error.message, true);
  }
});
cancel.addEventListener("click", async () => {
  try { await call("DELETE", part("jobs", String(job))); } catch (error) { say(error.message, true); }
});
for (const button of document.querySelectorAll("button[data-model]"))
  button.addEventListener("click", async () => {
    try {
      await call("POST", part("projects", data.project, "models", button.dataset.model, "use"));
      location.reload();
    } catch (error) { say(error.message, true); }
  });
const before = sessionStorage.getItem("said");
if (before) { say(before); sessionStorage.removeItem("said"); }
if (job !== null) watch();
