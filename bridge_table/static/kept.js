// What a person has set for these pages; the browser keeps it from one visit to the next.

const NAME = "this page";

export const kept = () => JSON.parse(localStorage.getItem(NAME) || "{}");

export const keep = (told) => localStorage.setItem(NAME, JSON.stringify(told));
