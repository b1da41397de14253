// The bar that is the whole file: damage, and where the bytes on the screen are.
import { counted, element, find, number } from "./tools.js";

const STEPS = 100;

export function makeMap({ wanted }) {
  const root = find("map");
  let total = 1;
  let view = [0, 0];
  const place = (made, begin, end) => {
    made.style.left = `${(100 * begin) / total}%`;
    made.style.width = `${(100 * Math.max(0, end - begin)) / total}%`;
    return made;
  };
  const go = (at) => wanted(Math.max(0, Math.min(total - 1, Math.floor(at))));
  root.addEventListener("click", (event) => {
    const box = root.getBoundingClientRect();
    go(((event.clientX - box.left) / box.width) * total);
  });
  root.addEventListener("keydown", (event) => {
    const step = Math.max(1, total / STEPS);
    const by = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step, PageUp: 10 * step, PageDown: -10 * step }[event.key];
    const target = event.key === "Home" ? 0 : event.key === "End" ? total - 1 : by && view[0] + by;
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  });
  return function draw({ size, seen, ranges, unread: [from, reason], isKnown }) {
    total = Math.max(1, size);
    view = seen;
    root.classList.toggle("unknown", !isKnown);
    root.setAttribute("aria-valuemax", total - 1);
    root.setAttribute("aria-valuenow", view[0]);
    const rest = isKnown && from < size ? `not read from byte ${number(from)} on${reason ? `: ${reason}` : ""}` : "";
    root.setAttribute("aria-valuetext", `byte ${number(view[0])} of ${number(size)}; ${counted(ranges.length, "damaged range")}${rest ? `; ${rest}` : ""}`);
    const marks = ranges.map((each) => place(element("i", { title: `bytes ${number(each.begin)} to ${number(each.end)}: ${each.text}` }), each.begin, each.end));
    const after = rest ? [place(element("s", { title: rest, className: reason ? "wrong" : "" }), from, size)] : [];
    root.replaceChildren(...after, ...marks, place(element("b"), ...view));
  };
}
