// The dialog that opens another spec or another file: its folder, or a path that is typed.
import { ask, element, find, number } from "./tools.js";

/** ``open`` is called with the kind, "spec" or "file", and a path. */
export function makeOpening({ open }) {
  const dialog = find("opening");
  const path = find("opening-path");
  let kind = "file";

  async function tried(work) {
    find("opening-error").hidden = true;
    try {
      await work();
    } catch (error) {
      find("opening-error").textContent = error.message;
      find("opening-error").hidden = false;
    }
  }

  const chosen = (wanted) => tried(async () => {
    await open(kind, wanted);
    dialog.close();
  });

  function entry(each, label) {
    const size = each.size === null ? "" : element("small", {}, `${number(each.size)} B`);
    const button = element("button", { type: "button", className: each.size === null ? "folder" : "" }, label ?? (each.size === null ? `${each.name}/` : each.name), size);
    button.addEventListener("click", () => (each.size === null ? list(each.path) : chosen(each.path)));
    return element("li", {}, button);
  }

  const list = (wanted) => tried(async () => {
    const found = await ask("list", { path: wanted });
    const shown = found.entries.filter((each) => kind === "file" || each.size === null || each.name.endsWith(".ksy"));
    const above = found.above === found.folder ? [] : [entry({ path: found.above, size: null }, "../")];
    const more = found.more ? [element("li", { className: "empty" }, `and ${number(found.more)} more`)] : [];
    find("opening-entries").replaceChildren(...above, ...shown.map((each) => entry(each)), ...more);
    path.value = found.folder.endsWith("/") ? found.folder : `${found.folder}/`;
  });

  find("opening-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (path.value.endsWith("/")) list(path.value);
    else chosen(path.value);
  });
  dialog.addEventListener("close", () => (find("opening-error").hidden = true));
  find("opening-cancel").addEventListener("click", () => dialog.close());
  return async (wanted, near) => {
    kind = wanted;
    find("opening-title").textContent = kind === "spec" ? "Open a spec" : "Open a file";
    find("opening-entries").replaceChildren();
    dialog.showModal();
    await list(near);
    path.select();
  };
}
