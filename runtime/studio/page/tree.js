// The fields of the records that are loaded, as a tree.
import { makeTree } from "./field_tree.js";
import { element, hue, number } from "./tools.js";

const MOST_OPEN = 1000;

export function makeFields(root, { pointed, chosen }) {
  const tree = makeTree(root, { element, pointed, chosen });

  function partsOf(record, field) {
    const look = field.problem ? "name wrong" : field.begin >= 0 ? "name tint" : "name";
    const name = element("span", { className: look }, field.name);
    name.style.setProperty("--hue", hue(field.attribute));
    const parts = [name, element("span", { className: "value", title: field.value }, field.value)];
    if (field.checked === true) parts.push(element("span", { className: "good" }, "✓ holds"));
    if (field.problem) parts.push(element("span", { className: "bad" }, `✗ ${field.problem}`));
    const where = field.begin >= 0 ? `+${(field.begin - record.begin).toString(16)} · ${number(field.end - field.begin)} B` : field.computed ? "computed" : "";
    parts.push(element("span", { className: "where" }, where));
    return parts;
  }

  function draw(records, hint) {
    root.removeAttribute("aria-busy");
    tree.clear(records.length ? "" : hint);
    const isOpen = records.reduce((sum, each) => sum + each.fields.length, 0) <= MOST_OPEN;
    records.forEach((record) => {
      const parts = [element("span", { className: "name" }, record.title)];
      if (record.reason) parts.push(element("span", { className: "bad" }, `✗ ${record.verdict}${record.message ? `: ${record.message}` : ""}`));
      parts.push(element("span", { className: "where" }, `${number(record.begin)} · ${number(record.end - record.begin)} B`));
      tree.add(record, null, parts, { className: record.reason ? "record damaged" : "record" });
      record.fields.forEach((field) => {
        const above = field.parent < 0 ? record : record.fields[field.parent];
        tree.add(field, above, partsOf(record, field), { isOpen: isOpen && field.parent < 0 });
      });
    });
  }

  return { draw, light: tree.light, choose: tree.choose };
}
