// What all parts of the page use. Everything that comes from a spec or a file is put in as text, never as markup.
const HUES = getComputedStyle(document.documentElement).getPropertyValue("--hues").trim().split(/\s+/).map(Number);
const TURN = 17;
const TURNS = 3;
const known = new Map();
export const find = (id) => document.getElementById(id);
export const number = (value) => value.toLocaleString("en");
export const counted = (value, name) => `${number(value)} ${name}${value === 1 ? "" : "s"}`;
export const hexadecimal = (value) => value.toString(16).padStart(2, "0");
export const basename = (path) => path.split(/[\\/]/).at(-1);

/** The colour of an attribute, the same in all records, and after a change of the spec. */
export function hue(attribute) {
  if (!known.has(attribute)) known.set(attribute, known.size);
  const place = known.get(attribute);
  return (HUES[place % HUES.length] + TURN * (Math.floor(place / HUES.length) % TURNS)) % 360;
}

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Asks the server; throws what it says is wrong. */
export async function ask(name, given = {}) {
  const answer = await fetch(`/api/${name}`, { method: "POST", body: JSON.stringify(given) });
  const result = await answer.json().catch(() => ({ error: "this studio has ended, or its address has another token" }));
  if (!answer.ok) throw Object.assign(new Error(result.error ?? answer.statusText), { isStale: answer.status === 409 });
  return result;
}

export function debounced(milliseconds, run) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), milliseconds);
  };
}

export function status(text, kind = "") {
  find("status").textContent = text;
  find("status").title = text;
  find("status").className = kind;
}

/** Shows a message with at most one thing that can be done about it. */
export function notice(text, label = "", act = null, kind = "") {
  find("notice").hidden = !text;
  find("notice").className = kind;
  find("notice-text").textContent = text;
  find("notice-act").hidden = !label;
  find("notice-act").textContent = label;
  find("notice-act").onclick = () => (notice(""), act());
}

/** Takes away a message about what is over; a question remains. */
export const settled = () => find("notice-act").hidden && notice("");

let opened = 0;
/** What has begun before another file is opened is stopped, which is no news. */
export const supersede = () => (opened += 1);

/** The result of work, or null if it fails, which a message says. */
export async function tried(work) {
  const mine = opened;
  try {
    return await work();
  } catch (error) {
    if (mine === opened) notice(error.message, "", null, "bad");
    return null;
  }
}

/** Stands in place of what is not known yet. */
export function skeleton(root) {
  const bars = [70, 45, 85, 60, 50, 75, 40].map((width) => element("i", { style: `width:${width}%` }));
  root.setAttribute("aria-busy", "true");
  root.replaceChildren(element(root.tagName === "UL" ? "li" : "div", { className: "skeleton", role: "presentation" }, ...bars));
}
