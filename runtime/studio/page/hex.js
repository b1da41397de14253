// The bytes: only the lines that are seen exist, and only pages near them are fetched.
import { element, hexadecimal, hue, number } from "./tools.js";

const WIDTHS = [32, 16, 8];
const HEIGHT = 20;
const PAGE = 65536;
const MOST_PAGES = 64;
const TALLEST = 8_000_000;

/** The number of bytes of a line that fits, by what the style sheet gives to a byte and its sign, to a gap and to the rest. */
function widthFor(root, lines, digits) {
  const ruler = element("span", { style: "visibility:hidden; position:absolute" }, "0".repeat(100));
  lines.append(ruler);
  const letter = ruler.getBoundingClientRect().width / 100;
  ruler.remove();
  const room = root.clientWidth / letter - digits - 6.5;
  return WIDTHS.find((each) => 3.64 * each + 0.7 * (each / 8 - 1) <= room) ?? WIDTHS.at(-1);
}

export function makeHex(root, { owner, damaged, edges, pointed, chosen, scrolled, copied, fetched }) {
  const lines = element("div", { className: "lines", role: "rowgroup" });
  const inner = element("div");
  const bar = element("div", { className: "scroll", tabIndex: -1, "aria-hidden": "true" }, inner);
  root.append(lines, bar);
  const pages = new Map();
  const state = { size: 0, first: 0, cursor: -1, lit: [-1, -1], chosen: [-1, -1], selected: [-1, -1], generation: 0, width: 16 };
  const total = () => Math.ceil(state.size / state.width);
  const seen = () => Math.max(1, Math.floor(root.clientHeight / HEIGHT));
  const most = () => Math.max(0, total() - seen() + 1);
  let ownScroll = -1;
  let anchor = -1;

  async function fetchPage(index) {
    const generation = state.generation;
    pages.set(index, null);
    const answer = await fetch(`/bytes?offset=${index * PAGE}&size=${PAGE}`).catch(() => null);
    if (generation !== state.generation) return;
    if (!answer?.ok) return void pages.delete(index);
    pages.set(index, new Uint8Array(await answer.arrayBuffer()));
    while (pages.size > MOST_PAGES) pages.delete(pages.keys().next().value);
    draw();
    fetched();
  }

  function byte(at) {
    const index = Math.floor(at / PAGE);
    if (!pages.has(index)) fetchPage(index);
    return pages.get(index)?.[at % PAGE];
  }

  function look(cell, at, value, field) {
    cell.dataset.at = at;
    if (value === 0) cell.classList.add("zero");
    if (field?.problem) cell.classList.add("wrong");
    else if (damaged(at)) cell.classList.add("damaged-byte");
    else if (field) {
      cell.classList.add("tint");
      cell.style.setProperty("--hue", hue(field.attribute));
    }
    if (at === state.cursor) cell.classList.add("cursor");
    paint(cell, at);
  }

  function paint(cell, at) {
    cell.classList.toggle("lit", at >= state.lit[0] && at < state.lit[1]);
    cell.classList.toggle("chosen", at >= state.chosen[0] && at < state.chosen[1]);
    cell.classList.toggle("selected", at >= state.selected[0] && at < state.selected[1]);
  }

  const repaint = () => lines.querySelectorAll("b").forEach((cell) => paint(cell, Number(cell.dataset.at)));

  /** What is said of a byte by screen readers, which read the cell of the cursor. */
  const spoken = (at, text, field) => `${text} at ${number(at)}${field ? `, ${field.name}${field.problem ? `, ${field.problem}` : ""}` : ""}${damaged(at) ? ", damaged" : ""}`;

  function draw() {
    const made = [];
    const digits = Math.max(8, (state.size - 1).toString(16).length);
    for (let line = state.first; line < Math.min(total(), state.first + seen() + 1); line += 1) {
      const begin = line * state.width;
      const offset = element("span", { className: "offset", role: "rowheader" }, begin.toString(16).padStart(digits, "0"));
      const row = element("div", { className: "line", role: "row", "aria-rowindex": line + 1 }, offset);
      const signs = element("span", { className: "signs", "aria-hidden": "true" });
      for (let at = begin; at < begin + state.width; at += 1) {
        const value = at < state.size ? byte(at) : undefined;
        const text = at >= state.size ? "  " : value === undefined ? "··" : hexadecimal(value);
        const cell = element("b", { className: at % 8 === 0 && at !== begin ? "half" : "", role: "gridcell" }, text);
        row.append(cell);
        if (at >= state.size) continue;
        const field = owner(at);
        look(cell, at, value, field);
        if (edges(at)) cell.classList.add("edge");
        if (at === state.cursor) {
          cell.id = "byte-at-cursor";
          cell.setAttribute("aria-label", spoken(at, text, field));
        }
        const sign = element("b", {}, value >= 32 && value < 127 ? String.fromCharCode(value) : "·");
        look(sign, at, value, field);
        signs.append(sign);
      }
      row.append(signs);
      made.push(row);
    }
    lines.replaceChildren(...(state.size ? made : [element("p", { className: "empty" }, "The file is empty.")]));
    root.setAttribute("aria-activedescendant", lines.querySelector("#byte-at-cursor") ? "byte-at-cursor" : "");
  }

  function move(line, byBar = false) {
    state.first = Math.max(0, Math.min(Math.round(line), most()));
    if (!byBar) {
      const room = bar.scrollHeight - bar.clientHeight;
      ownScroll = most() ? Math.round((state.first / most()) * room) : 0;
      bar.scrollTop = ownScroll;
    }
    draw();
    scrolled(state.first * state.width, Math.min(state.size, (state.first + seen()) * state.width));
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
  lines.addEventListener("mouseover", (event) => {
    pointed(at(event));
    if (event.buttons & 1 && anchor >= 0 && at(event) >= 0 && at(event) !== anchor) extend(at(event));
  });
  lines.addEventListener("mouseleave", () => pointed(-1));
  lines.addEventListener("mousedown", (event) => {
    if (at(event) < 0 || event.button) return;
    if (event.shiftKey) return extend(at(event));
    anchor = at(event);
    select(-1, -1);
  });
  lines.addEventListener("click", (event) => at(event) >= 0 && state.selected[0] < 0 && set(at(event)));
  root.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "c") return void (event.preventDefault(), copied());
    if (event.altKey || !state.size) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === "a") {
      event.preventDefault();
      state.selected = [-1, -1];
      state.cursor = anchor = 0;
      return extend(state.size - 1);
    }
    if (isCommand && !["Home", "End"].includes(event.key)) return;
    const page = seen() * state.width;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: state.width, ArrowUp: -state.width, PageDown: page, PageUp: -page }[event.key];
    const target = event.key === "Home" ? 0 : event.key === "End" ? state.size - 1 : step && Math.max(0, state.cursor) + step;
    if (target === undefined) return;
    event.preventDefault();
    const place = Math.max(0, Math.min(state.size - 1, target));
    if (event.shiftKey) extend(place);
    else set(place);
  });

  function select(begin, end) {
    state.selected = [begin, end];
    repaint();
  }

  /** Selects from the cursor, or from where the selection began, up to a byte. */
  function extend(place) {
    // What is drawn anew under the pointer is entered again.
    if (state.selected[0] >= 0 && place === state.cursor) return;
    if (state.selected[0] < 0) anchor = anchor >= 0 && anchor !== place ? anchor : Math.max(0, state.cursor);
    state.cursor = place;
    reveal(place);
    state.selected = [Math.min(anchor, place), Math.max(anchor, place) + 1];
    draw();
    pointed(-1);
    chosen(place, state.selected);
  }

  function set(place) {
    state.cursor = anchor = place;
    state.selected = [-1, -1];
    reveal(place);
    draw();
    chosen(place, null);
  }

  function reveal(place) {
    const line = Math.floor(place / state.width);
    if (line < state.first || line >= state.first + seen() - 1) move(line - Math.floor(seen() / 3));
  }

  function fit() {
    const begin = state.first * state.width;
    state.width = widthFor(root, lines, Math.max(8, (state.size - 1).toString(16).length));
    root.setAttribute("aria-rowcount", total());
    root.setAttribute("aria-colcount", state.width + 1);
    inner.style.height = `${Math.min(TALLEST, Math.max(1, total()) * HEIGHT + HEIGHT)}px`;
    move(Math.floor(begin / state.width));
  }

  new ResizeObserver(fit).observe(root);
  return {
    draw, reveal, set, state,
    /** Moves the cursor without telling anyone. */
    point(place) {
      state.cursor = anchor = place;
      state.selected = [-1, -1];
      draw();
    },
    /** The bytes that are selected: by a selection, or a field, or the cursor alone. */
    selection() {
      const begun = [state.selected, state.chosen].find(([begin]) => begin >= 0);
      return begun ?? [Math.max(0, state.cursor), state.cursor + 1];
    },
    select(begin, end) {
      state.cursor = anchor = begin;
      state.selected = [begin, end];
      reveal(begin);
      draw();
      chosen(begin, state.selected, true);
    },
    size(value) {
      state.size = value;
      state.generation += 1;
      pages.clear();
      root.title = `${number(value)} bytes`;
      fit();
    },
    light(begin, end) {
      state.lit = [begin, end];
      repaint();
    },
    choose(begin, end) {
      state.chosen = [begin, end];
      repaint();
    },
    /** The bytes from a place on that are known, at most ``count``. */
    bytes(place, count) {
      const found = [];
      for (let at = place; at < Math.min(state.size, place + count) && byte(at) !== undefined; at += 1) found.push(byte(at));
      return found;
    },
  };
}
