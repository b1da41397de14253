// The rows of the table that are loaded.
import { element, number } from "./tools.js";

const NUMERIC = /^(u?int|float|double|half|decimal)/;

export function makeRows(root, { pointed, chosen }) {
  let shown = [];
  const stop = (row) => shown.forEach((each) => (each.line.tabIndex = each === row ? 0 : -1));

  function key(event, row) {
    const place = shown.indexOf(row);
    const target = { ArrowDown: shown[place + 1], ArrowUp: shown[place - 1], Home: shown[0], End: shown.at(-1), Enter: row }[event.key];
    if (!target) return;
    event.preventDefault();
    chosen(target);
    target.line.focus({ preventScroll: true });
  }

  function draw(found, hint) {
    shown = found.columns.length ? found.rows : [];
    root.removeAttribute("aria-busy");
    if (!found.columns.length) return root.replaceChildren(element("p", { className: "empty" }, hint));
    const heads = found.columns.map((each) => element("th", { scope: "col", className: NUMERIC.test(each.type) ? "number" : "" }, each.name, element("small", {}, each.type)));
    const body = element("tbody");
    for (const row of shown) {
      const line = element("tr", { className: row.error ? "damaged" : "", tabIndex: -1, "aria-selected": "false" }, element("td", { className: "at" }, number(row.at)));
      if (row.error) line.append(element("td", { colSpan: found.columns.length }, `✗ ${row.error}`));
      else {
        row.cells.forEach((text, index) => {
          const kind = text === null ? "null" : NUMERIC.test(found.columns[index].type) ? "number" : "";
          line.append(element("td", { className: kind, title: text ?? "null" }, text ?? "null"));
        });
      }
      line.addEventListener("mouseenter", () => pointed(row));
      line.addEventListener("mouseleave", () => pointed(null));
      line.addEventListener("click", () => chosen(row));
      line.addEventListener("keydown", (event) => key(event, row));
      row.line = line;
      body.append(line);
    }
    const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "_offset"), ...heads));
    root.replaceChildren(element("table", { role: "grid", "aria-label": "Rows" }, head, body));
    stop(shown[0]);
  }
  /** Rows that begin at the bytes of a record; of several rows in it, the last one that begins before ``at``. */
  function of(record, at) {
    const inside = shown.filter((row) => record && row.at >= record.begin && row.at < Math.max(record.end, record.begin + 1));
    const before = inside.filter((row) => row.at <= at);
    return before.length ? [before.at(-1)] : inside.slice(0, 1);
  }
  return {
    draw, of,
    light: (rows) => shown.forEach((row) => row.line?.classList.toggle("lit", rows.includes(row))),
    choose(rows) {
      shown.forEach((row) => row.line?.setAttribute("aria-selected", String(rows.includes(row))));
      if (!rows.length) return;
      stop(rows[0]);
      const [line, pane, heads] = [rows[0].line, root.getBoundingClientRect(), root.querySelector("thead").offsetHeight];
      const { top, bottom } = line.getBoundingClientRect();
      if (top < pane.top + heads || bottom > pane.bottom) line.scrollIntoView({ block: "center" });
    },
  };
}
