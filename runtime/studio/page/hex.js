// The bytes: only the lines that are seen exist, and only pages near them are fetched.
import { element, hue, number } from "./tools.js";

const LINE = 16;
const HEIGHT = 20;
const PAGE = 65536;
const MOST_PAGES = 64;
const TALLEST = 8_000_000;

export function makeHex(root, { owner, damaged, edges, pointed, chosen, scrolled }) {
  const lines = element("div", { className: "lines" });
  const inner = element("div");
  const bar = element("div", { className: "bar", tabIndex: -1 }, inner);
  root.append(lines, bar);
  const pages = new Map();
  const state = { size: 0, first: 0, cursor: -1, lit: [-1, -1], chosen: [-1, -1], generation: 0 };
  const total = () => Math.ceil(state.size / LINE);
  const seen = () => Math.max(1, Math.floor(root.clientHeight / HEIGHT));
  const most = () => Math.max(0, total() - seen() + 1);
  let ownScroll = -1;

  async function fetchPage(index) {
    const generation = state.generation;
    pages.set(index, null);
    const answer = await fetch(`/bytes?offset=${index * PAGE}&size=${PAGE}`).catch(() => null);
    if (generation !== state.generation) return;
    if (!answer?.ok) return void pages.delete(index);
    pages.set(index, new Uint8Array(await answer.arrayBuffer()));
    while (pages.size > MOST_PAGES) pages.delete(pages.keys().next().value);
    draw();
  }

  function byte(at) {
    const index = Math.floor(at / PAGE);
    if (!pages.has(index)) fetchPage(index);
    return pages.get(index)?.[at % PAGE];
  }

  function look(cell, at, value, field) {
    cell.dataset.at = at;
    if (value === 0) cell.classList.add("zero");
    if (field) {
      cell.classList.add("tint");
      cell.style.setProperty("--hue", hue(field.colour));
    }
    if (damaged(at) || field?.problem) cell.classList.add("damaged");
    if (at === state.cursor) cell.classList.add("cursor");
    paint(cell, at);
  }

  function paint(cell, at) {
    cell.classList.toggle("lit", at >= state.lit[0] && at < state.lit[1]);
    cell.classList.toggle("chosen", at >= state.chosen[0] && at < state.chosen[1]);
  }

  const repaint = () => lines.querySelectorAll("b").forEach((cell) => paint(cell, Number(cell.dataset.at)));

  function draw() {
    const made = [];
    const width = Math.max(8, (state.size - 1).toString(16).length);
    for (let line = state.first; line < Math.min(total(), state.first + seen() + 1); line += 1) {
      const begin = line * LINE;
      const row = element("div", { className: "line" }, element("span", { className: "offset" }, begin.toString(16).padStart(width, "0")));
      const signs = element("span", { className: "signs" });
      for (let at = begin; at < begin + LINE; at += 1) {
        const value = at < state.size ? byte(at) : undefined;
        const text = at >= state.size ? "  " : value === undefined ? "··" : value.toString(16).padStart(2, "0");
        const cell = element("b", { className: at % LINE === 8 ? "half" : "" }, text);
        row.append(cell);
        if (at >= state.size) continue;
        const field = owner(at);
        look(cell, at, value, field);
        if (edges(at)) cell.classList.add("edge");
        const sign = element("b", {}, value >= 32 && value < 127 ? String.fromCharCode(value) : "·");
        look(sign, at, value, field);
        signs.append(sign);
      }
      row.append(signs);
      made.push(row);
    }
    lines.replaceChildren(...made);
  }

  function move(line, byBar = false) {
    state.first = Math.max(0, Math.min(Math.round(line), most()));
    if (!byBar) {
      const room = bar.scrollHeight - bar.clientHeight;
      ownScroll = most() ? Math.round((state.first / most()) * room) : 0;
      bar.scrollTop = ownScroll;
    }
    draw();
    scrolled(state.first * LINE, Math.min(state.size, (state.first + seen()) * LINE));
  }

  let rest = 0;
  root.addEventListener("wheel", (event) => {
    if (event.ctrlKey) return;
    event.preventDefault();
    rest += event.deltaMode === 1 ? event.deltaY : event.deltaY / HEIGHT;
    const whole = Math.trunc(rest);
    rest -= whole;
    if (whole) move(state.first + whole);
  }, { passive: false });
  bar.addEventListener("scroll", () => {
    if (Math.abs(bar.scrollTop - ownScroll) <= 1) return;
    ownScroll = -1;
    const room = bar.scrollHeight - bar.clientHeight;
    move(room > 0 ? (bar.scrollTop / room) * most() : 0, true);
  });
  const at = (event) => (event.target.dataset?.at === undefined ? -1 : Number(event.target.dataset.at));
  lines.addEventListener("mouseover", (event) => pointed(at(event)));
  lines.addEventListener("mouseleave", () => pointed(-1));
  lines.addEventListener("click", (event) => at(event) >= 0 && set(at(event)));
  root.addEventListener("keydown", (event) => {
    const page = seen() * LINE;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: LINE, ArrowUp: -LINE, PageDown: page, PageUp: -page }[event.key];
    const target = event.key === "Home" ? 0 : event.key === "End" ? state.size - 1 : step && Math.max(0, state.cursor) + step;
    if (target === undefined) return;
    event.preventDefault();
    set(Math.max(0, Math.min(state.size - 1, target)));
  });

  function set(place) {
    state.cursor = place;
    reveal(place);
    draw();
    chosen(place);
  }

  function reveal(place) {
    const line = Math.floor(place / LINE);
    if (line < state.first || line >= state.first + seen() - 1) move(line - Math.floor(seen() / 3));
  }

  new ResizeObserver(() => {
    inner.style.height = `${Math.min(TALLEST, Math.max(1, total()) * HEIGHT + HEIGHT)}px`;
    move(state.first);
  }).observe(root);
  return {
    draw, reveal, set, state,
    size(value) {
      state.size = value;
      state.generation += 1;
      pages.clear();
      inner.style.height = `${Math.min(TALLEST, Math.max(1, total()) * HEIGHT + HEIGHT)}px`;
      root.title = `${number(value)} bytes`;
      move(state.first);
    },
    light(begin, end) {
      state.lit = [begin, end];
      repaint();
    },
    choose(begin, end) {
      state.chosen = [begin, end];
      repaint();
    },
    bytes: (place, count) => Array.from({ length: count }, (_, each) => (place + each < state.size ? byte(place + each) : undefined)),
  };
}
