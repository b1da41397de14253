// The fields of the records that are loaded, as a tree.
import { element, hue, number } from "./tools.js";

export function makeTree(root, { pointed, chosen }) {
  let items = [];
  let selected = null;

  const setOpen = (item, isOpen) => {
    item.setAttribute("aria-expanded", String(isOpen));
    item.querySelector(":scope > .row > .toggle").textContent = isOpen ? "▾" : "▸";
  };
  const toggle = (item) => item.hasAttribute("aria-expanded") && setOpen(item, item.getAttribute("aria-expanded") !== "true");

  function groupOf(item, isOpen) {
    let group = item.querySelector(":scope > ul");
    if (!group) {
      group = element("ul", { role: "group" });
      item.append(group);
      setOpen(item, isOpen);
    }
    return group;
  }

  function add(thing, parent, parts, className = "") {
    const row = element("div", { className: "row" }, element("span", { className: "toggle" }), ...parts);
    const item = element("li", { role: "treeitem", className, tabIndex: -1, "aria-selected": "false" }, row);
    row.addEventListener("mouseenter", () => pointed(thing));
    row.addEventListener("mouseleave", () => pointed(null));
    row.addEventListener("click", (event) => {
      if (selected === item || event.target.className === "toggle") toggle(item);
      if (event.target.className !== "toggle") chosen(thing);
    });
    item.addEventListener("keydown", (event) => key(event, item));
    item.thing = thing;
    thing.item = item;
    items.push(item);
    parent.append(item);
    return item;
  }

  function key(event, item) {
    event.stopPropagation();
    const shown = items.filter((each) => each.offsetParent !== null);
    const place = shown.indexOf(item);
    const target = { ArrowDown: shown[place + 1], ArrowUp: shown[place - 1], Home: shown[0], End: shown.at(-1) }[event.key];
    if (target) {
      chosen(target.thing);
      target.focus();
    } else if (event.key === "ArrowRight" && item.hasAttribute("aria-expanded")) setOpen(item, true);
    else if (event.key === "ArrowLeft" && item.hasAttribute("aria-expanded")) setOpen(item, false);
    else if (event.key === "Enter" || event.key === " ") toggle(item);
    else return;
    event.preventDefault();
  }

  function draw(records, hint) {
    items = [];
    selected = null;
    root.replaceChildren();
    if (!records.length) root.append(element("li", { className: "empty" }, hint));
    records.forEach((record) => {
      const parts = [element("span", { className: "name" }, record.title)];
      if (record.reason) parts.push(element("span", { className: "bad" }, `✗ ${record.verdict}${record.message ? `: ${record.message}` : ""}`));
      parts.push(element("span", { className: "where" }, `${number(record.begin)} · ${number(record.end - record.begin)} B`));
      const item = add(record, root, parts, record.reason ? "record damaged" : "record");
      record.fields.forEach((field) => {
        const name = element("span", { className: field.begin >= 0 ? "name tint" : "name" }, field.name);
        name.style.setProperty("--hue", hue(field.colour));
        const described = [name, element("span", { className: "value", title: field.value }, field.value)];
        if (field.checked === true) described.push(element("span", { className: "good" }, "✓ holds"));
        if (field.problem) described.push(element("span", { className: "bad" }, `✗ ${field.problem}`));
        const where = field.begin >= 0 ? `+${(field.begin - record.begin).toString(16)} · ${number(field.end - field.begin)} B` : field.computed ? "computed" : "";
        described.push(element("span", { className: "where" }, where));
        const holder = field.parent < 0 ? item : record.fields[field.parent].item;
        add(field, groupOf(holder, field.parent < 0 && records.length < 60), described);
      });
    });
    if (items[0]) items[0].tabIndex = 0;
  }

  return {
    draw,
    light(thing) {
      root.querySelectorAll(".name.lit").forEach((each) => each.classList.remove("lit"));
      thing?.item?.querySelector(".name").classList.add("lit");
    },
    choose(thing) {
      selected?.setAttribute("aria-selected", "false");
      selected = thing?.item ?? null;
      if (!selected) return;
      selected.setAttribute("aria-selected", "true");
      items.forEach((each) => (each.tabIndex = each === selected ? 0 : -1));
      for (let each = selected.parentElement.closest("li"); each; each = each.parentElement.closest("li")) setOpen(each, true);
      selected.scrollIntoView({ block: "nearest" });
    },
  };
}
