// The list of what is wrong with a spec, and with those that it imports.
import { element, find } from "./tools.js";

/** ``go`` leads to a place of the spec, ``other`` is called for a problem of an imported file. */
export function drawProblems(found, { go, other }) {
  const entry = (each) => {
    const at = `${each.imported ? `${each.file}:` : ""}${each.line}:${each.column}`;
    const button = element("button", { type: "button", className: each.severity }, element("span", { className: "at" }, at));
    button.append(each.message);
    if (each.help) button.append(element("small", {}, each.help));
    button.addEventListener("click", () => (each.imported ? other(each) : go(each)));
    return element("li", {}, button);
  };
  const list = find("problems");
  list.replaceChildren(...found.diagnostics.map(entry));
  if (!found.notes.length) return;
  const notes = element("ul", {}, ...found.notes.map(entry));
  const label = found.notes.length === 1 ? "1 note" : `${found.notes.length} notes`;
  list.append(element("li", {}, element("details", {}, element("summary", {}, label), notes)));
}
