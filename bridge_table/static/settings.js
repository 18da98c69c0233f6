// The settings of a person for these pages; the browser stores them.

const NAME = "this page";

export const settings = () => JSON.parse(localStorage.getItem(NAME) || "{}");

export const saveSettings = (values) => localStorage.setItem(NAME, JSON.stringify(values));
