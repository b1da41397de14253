// The rows of the table that are loaded.
import { element, number } from "./tools.js";

const NUMERIC = /^(u?int|float|double|half|decimal)/;

export function makeRows(root, { pointed, chosen }) {
  let shown = [];
  function draw(found, hint) {
    shown = found.rows;
    if (!found.columns.length) return root.replaceChildren(element("p", { className: "empty" }, hint));
    const heads = found.columns.map((each) => element("th", {}, each.name, element("small", {}, each.type)));
    const body = element("tbody");
    for (const row of shown) {
      const line = element("tr", { className: row.error ? "damaged" : "" }, element("td", { className: "at" }, number(row.at)));
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
      row.line = line;
      body.append(line);
    }
    root.replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, element("th", {}, "_offset"), ...heads)), body));
  }
  const mark = (name, rows) => {
    root.querySelectorAll(`.${name}`).forEach((each) => each.classList.remove(name));
    rows.forEach((row) => row.line.classList.add(name));
  };
  /** Rows that begin at the bytes of a record; of several rows in it, the last one that begins before ``at``. */
  function of(record, at) {
    const inside = shown.filter((row) => record && row.at >= record.begin && row.at < Math.max(record.end, record.begin + 1));
    const before = inside.filter((row) => row.at <= at);
    return before.length ? [before.at(-1)] : inside.slice(0, 1);
  }
  return {
    draw, of,
    light: (rows) => mark("lit", rows),
    choose(rows) {
      mark("chosen", rows);
      if (!rows.length) return;
      const [line, pane, heads] = [rows[0].line, root.getBoundingClientRect(), root.querySelector("thead").offsetHeight];
      const { top, bottom } = line.getBoundingClientRect();
      if (top < pane.top + heads || bottom > pane.bottom) line.scrollIntoView({ block: "center" });
    },
  };
}
