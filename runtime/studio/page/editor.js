// The editor of the spec: completion, problems where they are, lines of attributes.
import * as CM from "/editor/index.js";
import { ask, element, find } from "./tools.js";

const setProblems = CM.StateEffect.define();
const setLines = CM.StateEffect.define();
const scheme = matchMedia("(prefers-color-scheme: dark)");
const colours = new CM.Compartment();
/** What the page's style sheet says, so that only the colours of words depend on the scheme. */
const settings = {
  background: "var(--panel)", foreground: "var(--ink)", caret: "var(--ink)", lineHighlight: "color-mix(in srgb, var(--accent) 4%, transparent)",
  selection: "color-mix(in srgb, var(--accent) 30%, transparent)", selectionMatch: "color-mix(in srgb, var(--accent) 18%, transparent)",
  gutterBackground: "var(--raised)", gutterForeground: "var(--quiet)", gutterBorder: "transparent",
};
const EXAMPLE = "meta:\n  id: my_format\n  endian: le\nseq:\n  - id: magic\n    size: 4\n  - id: version\n    type: u2";

class Mark extends CM.GutterMarker {
  constructor(problem) {
    super();
    this.problem = problem;
  }
  toDOM() {
    return element("div", { className: `cm-mark-${this.problem.severity}`, title: this.problem.message });
  }
}

/** Where a problem is in the document: columns count code points. */
function span(doc, problem) {
  const line = doc.line(Math.max(1, Math.min(problem.line, doc.lines)));
  const points = [...line.text];
  const unit = (column) => points.slice(0, Math.max(0, column - 1)).join("").length;
  const from = line.from + unit(problem.column);
  const to = Math.max(line.from + unit(problem.end_column ?? problem.column), Math.min(from + 1, line.to));
  return from < to ? [from, to] : [line.from + line.text.search(/\S|$/), line.to];
}

const problems = CM.StateField.define({
  create: () => ({ list: [], marks: CM.Decoration.none, gutter: CM.RangeSet.empty }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setProblems)) continue;
      const doc = transaction.state.doc;
      const marks = [];
      const gutter = [];
      for (const each of effect.value) {
        const [from, to] = span(doc, each);
        if (from < to) marks.push(CM.Decoration.mark({ class: `cm-${each.severity}` }).range(from, to));
        gutter.push(new Mark(each).range(doc.lineAt(from).from));
      }
      return { list: effect.value, marks: CM.Decoration.set(marks, true), gutter: CM.RangeSet.of(gutter, true) };
    }
    if (!transaction.docChanged) return value;
    return { ...value, marks: value.marks.map(transaction.changes), gutter: value.gutter.map(transaction.changes) };
  },
  provide: (field) => CM.EditorView.decorations.from(field, (value) => value.marks),
});

const lines = CM.StateField.define({
  create: () => CM.Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setLines)) continue;
      const doc = transaction.state.doc;
      const found = [];
      for (const [first, last, name] of effect.value) {
        for (let line = first; line > 0 && line <= Math.min(last, doc.lines); line += 1) {
          found.push(CM.Decoration.line({ class: name }).range(doc.line(line).from));
        }
      }
      return CM.Decoration.set(found, true);
    }
    return value.map(transaction.changes);
  },
  provide: (field) => CM.EditorView.decorations.from(field),
});

/** Indents the parts of a line that is wrapped by two more than its beginning. */
const hanging = CM.ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.update({ view, docChanged: true });
    }
    update({ view, docChanged, viewportChanged }) {
      if (!docChanged && !viewportChanged) return;
      const found = [];
      for (const { from, to } of view.visibleRanges) {
        for (let at = from; at <= to; ) {
          const line = view.state.doc.lineAt(at);
          const room = line.text.search(/[^ -]|$/) + 2;
          found.push(CM.Decoration.line({ attributes: { style: `--room: min(${room}ch, 40cqi)` } }).range(line.from));
          at = line.to + 1;
        }
      }
      this.decorations = CM.Decoration.set(found);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function said(problem) {
  const made = element("div", { className: "said" }, element("b", {}, problem.message));
  if (problem.help) made.append(element("p", {}, problem.help));
  return made;
}

async function completed(context) {
  const text = context.state.doc.toString();
  const word = context.matchBefore(/[\w:.-]+/);
  const after = context.matchBefore(/[:{,[]\s+/);
  if (!word && !after && !context.explicit) return null;
  const found = await ask("complete", { text, position: context.pos }).catch(() => null);
  return found?.options.length ? { from: found.from, options: found.options, validFor: /^[\w-]*$/ } : null;
}

async function yaml() {
  const found = CM.languages.find((each) => each.name === "YAML");
  return found ? await found.load() : [];
}

const theme = () => (scheme.matches ? CM.themes.githubDarkInit : CM.themes.githubLightInit)({ settings });
/** The colours of the scheme, also when it changes. */
function follow(view) {
  scheme.addEventListener("change", () => view.dispatch({ effects: colours.reconfigure(theme()) }));
  return view;
}

export async function makeEditor({ text, changed, saves, pointed, moved }) {
  const hint = CM.hoverTooltip((view, position) => {
    const hit = view.state.field(problems).list.find((each) => {
      const [from, to] = span(view.state.doc, each);
      return from <= position && position <= to;
    });
    return hit ? { pos: position, above: true, create: () => ({ dom: said(hit) }) } : null;
  });
  const view = follow(new CM.EditorView({
    parent: find("editor"),
    doc: text,
    extensions: [
      CM.basicSetup, await yaml(), colours.of(theme()), problems, lines, hint, CM.EditorView.lineWrapping, hanging, CM.placeholder(EXAMPLE),
      CM.EditorView.contentAttributes.of({ "aria-label": "Spec", "aria-describedby": "editor-keys", tabindex: "0" }),
      CM.gutter({ class: "cm-problems", markers: (each) => each.state.field(problems).gutter }),
      CM.EditorState.languageData.of(() => [{ autocomplete: completed }]),
      CM.Prec.high(CM.keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (saves(), true) }, CM.indentWithTab])),
      CM.indentUnit.of("  "),
      CM.EditorView.updateListener.of((update) => {
        if (update.docChanged) changed();
        else if (update.selectionSet && view.hasFocus) moved(update.state.doc.lineAt(update.state.selection.main.head).number);
      }),
      CM.EditorView.domEventHandlers({
        mousemove(event, each) {
          const position = each.posAtCoords({ x: event.clientX, y: event.clientY });
          pointed(position === null ? 0 : each.state.doc.lineAt(position).number);
        },
        mouseleave: () => pointed(0),
      }),
    ],
  }));
  return {
    view,
    text: () => view.state.doc.toString(),
    replace(value) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
    },
    problems: (list) => view.dispatch({ effects: setProblems.of(list) }),
    lines: (list) => view.dispatch({ effects: setLines.of(list) }),
    show(line) {
      if (line < 1 || line > view.state.doc.lines) return;
      view.dispatch({ effects: CM.EditorView.scrollIntoView(view.state.doc.line(line).from, { y: "center" }) });
    },
    go(problem) {
      const [from] = span(view.state.doc, problem);
      view.dispatch({ selection: { anchor: from }, effects: CM.EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
  };
}

/** A view of generated code, which is only read. */
export async function makeCode() {
  const found = CM.languages.find((each) => each.name === "Python");
  const language = found ? await found.load() : [];
  const extensions = [CM.basicSetup, language, colours.of(theme()), CM.EditorState.readOnly.of(true), CM.EditorView.lineWrapping, hanging];
  extensions.push(CM.EditorView.contentAttributes.of({ "aria-label": "Generated code", tabindex: "0" }));
  const view = follow(new CM.EditorView({ parent: find("code"), extensions }));
  return (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
