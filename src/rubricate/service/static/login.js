"use strict";
document.getElementById("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  try {
    await call("POST", "/login", { name: form.get("name"), password: form.get("password") });
    location.href = "/";
  } catch (error) {
    say(error.message, true);
  }
});
