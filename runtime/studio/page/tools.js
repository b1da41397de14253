// What all parts of the page use. Everything that comes from a spec or a file is put in as text, never as markup.
const HUES = [205, 145, 285, 35, 330, 175, 60, 250, 10];
export const find = (id) => document.getElementById(id);
export const number = (value) => value.toLocaleString("en");
export const hue = (index) => HUES[index % HUES.length];

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
  if (!answer.ok) throw new Error(result.error ?? answer.statusText);
  return result;
}

export function debounced(milliseconds, run) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), milliseconds);
  };
}
