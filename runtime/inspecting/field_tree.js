// A tree of fields: the page of "wireloom inspect --html" has it in it, and the studio loads it as a module.

/** Makes a list element of things that can be opened, pointed at and chosen, also by keys. */
export function makeTree(root, { element, pointed, chosen }) {
  let items = [];
  let places = new Map();
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

  function key(event, item) {
    if (event.target !== item) return;
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

  return {
    /** Removes all; the text stands in place of things. */
    clear(text = "") {
      items = [];
      places = new Map();
      selected = null;
      root.replaceChildren(...(text ? [element("li", { className: "empty" }, text)] : []));
    },
    /** Adds a thing with what is shown of it, below another one or at the top. isOpen: whether what it is below begins open. */
    add(thing, above, parts, { className = "", isOpen = false } = {}) {
      const row = element("div", { className: "row" }, element("span", { className: "toggle", "aria-hidden": "true" }), ...parts);
      const item = element("li", { role: "treeitem", className, tabIndex: items.length ? -1 : 0, "aria-selected": "false" }, row);
      row.addEventListener("mouseenter", () => pointed(thing));
      row.addEventListener("mouseleave", () => pointed(null));
      row.addEventListener("click", (event) => {
        if (selected === item || event.target.className === "toggle") toggle(item);
        if (event.target.className !== "toggle") chosen(thing);
      });
      item.addEventListener("keydown", (event) => key(event, item));
      item.thing = thing;
      places.set(thing, item);
      items.push(item);
      (above === null ? root : groupOf(places.get(above), isOpen)).append(item);
    },
    light(thing) {
      root.querySelectorAll(".name.lit").forEach((each) => each.classList.remove("lit"));
      places.get(thing)?.querySelector(".name").classList.add("lit");
    },
    /** Selects a thing, and opens what it is below; returns its element. */
    choose(thing) {
      selected?.setAttribute("aria-selected", "false");
      selected = places.get(thing) ?? null;
      if (!selected) return null;
      selected.setAttribute("aria-selected", "true");
      items.forEach((each) => (each.tabIndex = each === selected ? 0 : -1));
      for (let each = selected.parentElement.closest("li"); each; each = each.parentElement.closest("li")) setOpen(each, true);
      const [row, pane] = [selected.firstElementChild, root.getBoundingClientRect()];
      const { top, bottom } = row.getBoundingClientRect();
      if (top < pane.top || bottom > pane.bottom) row.scrollIntoView({ block: "center" });
      return selected;
    },
  };
}
