// What pages share: words for screen readers, settings, texts as files or to be copied.

import { at, element } from "./words.js";

/** Announce events to screen readers. */
export function announce(words) {
  at("live").textContent = words;
}

const NAME = "this page";

/** The settings of a person for these pages; the browser stores them. */
export const settings = () => JSON.parse(localStorage.getItem(NAME) || "{}");

export const saveSettings = (values) => localStorage.setItem(NAME, JSON.stringify({ ...settings(), ...values }));

/** Save a text as a file. */
export function save({ name, text }) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Save the server's report of a problem, with what the page knows. */
export function saveReport({ name, text }) {
  const message = at("message").hidden ? "" : at("message").textContent;
  const page = { address: location.pathname.split("/").at(-1), browser: navigator.userAgent, width: innerWidth, height: innerHeight, message };
  save({ name, text: JSON.stringify({ ...JSON.parse(text), page }, null, 1) });
}

/** Show an address to be copied, with a warning beside it. */
export function offer(place, text, warning) {
  const field = element("input", { value: text, readonly: true, "aria-label": warning });
  place.querySelectorAll(".offer").forEach((old) => old.remove());
  place.append(element("label", { class: "offer" }, warning, field));
  field.select();
  return navigator.clipboard?.writeText(text).catch(() => undefined);
}

/** Take files that are opened in a field, or dropped on the page; `take` takes each. */
export function takeFiles(field, take) {
  field.addEventListener("change", async () => {
    const [file] = field.files;
    if (file) await take(file, false);
    field.value = "";
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) take(file, true);
  });
}
