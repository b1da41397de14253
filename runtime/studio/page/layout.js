// The panes: their sizes, their tabs, and the keys that lead from one to the next.
import { find } from "./tools.js";

const LEAST = 80;
const STEP = 24;
const PANES = ["hex", "tree", "values", "rows", "editor"];

function makeDivider(bar) {
  const pane = find(bar.dataset.of);
  const flat = bar.classList.contains("flat");
  const grows = Number(bar.dataset.grows);
  const size = () => (flat ? pane.offsetHeight : pane.offsetWidth);
  const set = (wanted) => {
    const room = flat ? window.innerHeight : window.innerWidth;
    const chosen = Math.round(Math.max(LEAST, Math.min(room - 2 * LEAST, wanted)));
    pane.style.flex = `0 0 ${chosen}px`;
    bar.setAttribute("aria-valuenow", chosen);
  };
  bar.setAttribute("aria-controls", pane.id);
  bar.setAttribute("aria-valuenow", size());
  bar.addEventListener("pointerdown", (down) => {
    const [begin, from] = [size(), flat ? down.clientY : down.clientX];
    bar.setPointerCapture(down.pointerId);
    bar.onpointermove = (move) => set(begin + grows * ((flat ? move.clientY : move.clientX) - from));
    bar.onpointerup = () => (bar.onpointermove = null);
  });
  bar.addEventListener("keydown", (event) => {
    const by = (flat ? { ArrowDown: STEP, ArrowUp: -STEP } : { ArrowRight: STEP, ArrowLeft: -STEP })[event.key];
    if (!by) return;
    event.preventDefault();
    set(size() + grows * by);
  });
}

function makeTabs(bar, opened) {
  const tabs = [...bar.querySelectorAll('[role="tab"]')];
  const open = (tab) => {
    tabs.forEach((each) => {
      each.setAttribute("aria-selected", String(each === tab));
      each.tabIndex = each === tab ? 0 : -1;
      find(each.getAttribute("aria-controls")).hidden = each !== tab;
    });
    opened(tab.id);
  };
  bar.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const place = tabs.indexOf(document.activeElement);
    if (!by || place < 0) return;
    const tab = tabs[(place + by + tabs.length) % tabs.length];
    open(tab);
    tab.focus();
  });
  tabs.forEach((tab) => tab.addEventListener("click", () => open(tab)));
}

/** The element in a pane that takes keys. */
function target(name) {
  const root = find(name);
  return root.matches("[tabindex]") ? root : (root.querySelector('.cm-content, [tabindex="0"]') ?? null);
}

function nextPane(back) {
  const places = PANES.map((name) => target(name)).filter((each) => each?.offsetParent);
  const now = places.findIndex((each) => each.contains(document.activeElement) || each.closest("#tree, #rows, #editor")?.contains(document.activeElement));
  places.at(now < 0 ? 0 : (now + (back ? -1 : 1) + places.length) % places.length)?.focus();
}

/** ``opened`` is called with the name of a tab, ``keys`` are functions by the name of a key. */
export function makeLayout({ opened, keys }) {
  document.querySelectorAll(".divider").forEach(makeDivider);
  makeTabs(document.querySelector('[role="tablist"]'), opened);
  const help = find("help");
  find("keys").addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const name = `${event.ctrlKey || event.metaKey ? "Ctrl-" : ""}${event.shiftKey ? "Shift-" : ""}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
    const run = { F1: () => help.showModal(), F6: () => nextPane(false), "Shift-F6": () => nextPane(true), ...keys }[name];
    if (!run) return;
    event.preventDefault();
    run();
  });
}
