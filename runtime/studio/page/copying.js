// Copies what is selected, in one of several forms.
import { find, hexadecimal, notice, number, tried } from "./tools.js";

const MOST = 1024 * 1024;
const NAMED = { 9: "\\t", 10: "\\n", 13: "\\r", 39: "\\'", 92: "\\\\" };

/** Bytes as a literal of Python. */
export function pythonOf(bytes) {
  return `b'${[...bytes].map((each) => NAMED[each] ?? (each >= 32 && each < 127 ? String.fromCharCode(each) : `\\x${hexadecimal(each)}`)).join("")}'`;
}

async function bytesOf([begin, end]) {
  if (end <= begin) throw new Error("Nothing is selected: choose a byte, a field or a row.");
  if (end - begin > MOST) throw new Error(`At most ${number(MOST)} bytes are copied at a time.`);
  const pieces = [];
  for (let at = begin; at < end; ) {
    const answer = await fetch(`/bytes?offset=${at}&size=${end - at}`);
    const piece = answer.ok ? new Uint8Array(await answer.arrayBuffer()) : [];
    if (!piece.length) throw new Error("The bytes could not be read.");
    pieces.push(...piece);
    at += piece.length;
  }
  return pieces;
}

/** ``selection``: the range of bytes; ``value``: asks for the JSON of the field or record there. */
export function makeCopying({ selection, value }) {
  const menu = find("copy-menu");
  const texts = {
    hex: async () => (await bytesOf(selection())).map(hexadecimal).join(" "),
    python: async () => pythonOf(await bytesOf(selection())),
    field: async () => (await value(false)).text,
    record: async () => (await value(true)).text,
  };
  async function copy(form) {
    const text = await tried(texts[form]);
    if (text === null) return;
    await tried(() => navigator.clipboard.writeText(text));
    find("place").textContent = `Copied ${number(text.length)} characters.`;
  }
  const items = [...menu.querySelectorAll("button")];
  items.forEach((item) => item.addEventListener("click", () => (menu.hidePopover(), copy(item.dataset.form))));
  menu.addEventListener("beforetoggle", () => {
    const box = find("copy").getBoundingClientRect();
    menu.style.inset = `${box.bottom + 4}px ${window.innerWidth - box.right}px auto auto`;
  });
  menu.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    items[(items.indexOf(document.activeElement) + by + items.length) % items.length].focus();
  });
  return copy;
}
