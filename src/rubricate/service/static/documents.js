"use strict";
// Upload with a progress bar: bytes on their way, then parsing on the server.
const data = pageData();
const upload = document.getElementById("upload");

upload?.addEventListener("submit", (event) => {
  event.preventDefault();
  const file = upload.elements.file.files[0];
  if (!file) return say("Choose a file first.", true);
  const bar = document.getElementById("progress");
  const body = new FormData();
  body.append("file", file);
  const request = new XMLHttpRequest();
  request.open("POST", part("projects", data.project, "documents"));
  if (csrf) request.setRequestHeader("X-CSRF-Token", csrf);
  bar.hidden = false;
  request.upload.addEventListener("progress", (step) => {
    bar.max = step.total;
    bar.value = step.loaded;
    say(step.loaded < step.total ? "Sending …" : "Sent; the file is being read …");
    if (step.loaded >= step.total) bar.removeAttribute("value");
  });
  request.addEventListener("load", () => {
    bar.hidden = true;
    let answer = {};
    try { answer = JSON.parse(request.responseText); } catch { /* said below */ }
    if (request.status === 201) {
      sessionStorage.setItem("said", `${answer.added.toLocaleString()} documents added, ${answer.known.toLocaleString()} were there already.`);
      location.reload();
    } else say(answer.detail || `The service answered ${request.status}.`, true);
  });
  request.addEventListener("error", () => { bar.hidden = true; say("The service does not answer; nothing is lost, upload again.", true); });
  request.send(body);
});

const before = sessionStorage.getItem("said");
if (before) { say(before); sessionStorage.removeItem("said"); }
