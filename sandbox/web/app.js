"use strict";
// Keeps the open conversation fresh, sends without reloading, and presses buttons. The page works without it.
document.documentElement.classList.add("js");
const POLL_MS = 1000;
const workspace = document.querySelector(".workspace");

function toEnd(list) {
  if (list) list.scrollTop = list.scrollHeight;
}

function showFirst() {
  document.querySelectorAll(".messages").forEach((list) => {
    const pointedAt = list.querySelector(".highlight, .opened");
    if (pointedAt) pointedAt.scrollIntoView({ block: "center" });
    else toEnd(list);
  });
}

function refill(id, html) {
  const list = document.getElementById(id);
  if (!list) return;
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  list.innerHTML = html; // the server escaped it
  if (atEnd) toEnd(list);
}

let mark = (workspace && workspace.dataset.mark) || ""; // set where what is shown may be older than the page
async function refresh() {
  const { live, person, thread, highlight } = workspace.dataset;
  const query = new URLSearchParams({ as: person, thread, highlight, seen: mark });
  const response = await fetch(`${live}?${query}`);
  if (response.status !== 200) return;
  const fresh = await response.json();
  const first = mark === "";
  mark = fresh.mark;
  if (first) return; // the page came with the same messages
  refill("timeline", fresh.timeline);
  refill("thread", fresh.thread);
}

async function poll() {
  try {
    await refresh();
  } catch {
    // The sandbox is gone or starts again: the next round tries once more.
  }
  setTimeout(poll, POLL_MS);
}

async function send(form) {
  const body = new FormData(form);
  if (!body.get("text").trim()) return;
  form.reset();
  await fetch(form.action, { method: "POST", body, redirect: "manual" });
  await refresh();
  toEnd(document.getElementById(body.get("thread") ? "thread" : "timeline"));
}

async function press(button) {
  const body = new FormData();
  body.set("as", workspace.dataset.person);
  body.set("ts", button.closest("[data-ts]").dataset.ts);
  body.set("action_id", button.dataset.action);
  body.set("value", button.dataset.value);
  await fetch(workspace.dataset.live.replace(/live$/, "press"), { method: "POST", body });
  await refresh();
}

if (workspace) {
  showFirst();
  poll();
  workspace.addEventListener("submit", (event) => {
    if (!event.target.matches(".composer")) return;
    event.preventDefault();
    send(event.target);
  });
  workspace.addEventListener("keydown", (event) => {
    if (!event.target.matches(".composer textarea") || event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });
  workspace.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-action]");
    if (button) press(button);
  });
  workspace.querySelector(".switch select").addEventListener("change", (event) => event.target.form.submit());
}
