// Ties the parts together: what is pointed at or chosen in one of them is shown in all others.
import { makeCopying } from "./copying.js";
import { makeCode, makeEditor } from "./editor.js";
import { makeHex } from "./hex.js";
import { inspect, MOST } from "./inspector.js";
import { makeLayout } from "./layout.js";
import { makeMap } from "./map.js";
import { makeOpening } from "./opening.js";
import { makePlaces } from "./places.js";
import { drawProblems } from "./problems.js";
import { makeRows } from "./rows.js";
import { makeSearch } from "./search.js";
import { ask, basename, counted, debounced, element, find, notice, number, settled, skeleton, status, supersede, tried } from "./tools.js";
import { makeFields } from "./tree.js";

const RECORDS = 100;
const ROWS = 200;
const NO_SPEC = "Fields and rows are shown when the spec has no errors. Ctrl-Space in the spec completes it; the values of any byte are shown meanwhile.";
const state = { records: [], ranges: [], starts: new Set(), unread: [0, ""], stamps: {}, saved: "", compiled: null, table: "", before: [], view: [0, 0], content: "", chosen: null };
const { recordAt, fieldAt, damagedAt, recordOf, ofLine } = makePlaces(state);

// Linking ----------------------------------------------------------------------------------------------------------------

function light(thing, at = thing?.begin ?? -1) {
  tree.light(thing);
  hex.light(thing?.begin ?? -1, thing?.end ?? -1);
  const record = thing && recordOf(thing, at);
  rows.light(record ? rows.of(record, at) : []);
  editor.lines([...(thing?.line ? [[thing.line, thing.last, "cm-lit"]] : []), ...chosenLines()]);
}

const chosenLines = () => (state.chosen?.line ? [[state.chosen.line, state.chosen.last, "cm-chosen"]] : []);

/** Shows it in all panes but the one that it comes from; what was only loaded again does not move bytes and spec. */
function choose(thing, { at = thing.begin, from = "" } = {}) {
  state.chosen = thing;
  tree.choose(thing);
  hex.choose(thing.begin, thing.end);
  if (at >= 0 && from !== "hex" && from !== "load") hex.reveal(at);
  const record = recordOf(thing, at);
  if (from !== "rows") rows.choose(record ? rows.of(record, at) : []);
  editor.lines(chosenLines());
  if (from === "load") return;
  if (from !== "hex" && at >= 0) hex.point(at);
  if (thing.line && from !== "editor") editor.show(thing.line);
  describe(thing, at);
}

function describe(thing, at, selected = null) {
  const parts = thing ? [thing.title ?? thing.name, thing.kind, thing.doc, thing.problem ?? thing.message].filter(Boolean) : [];
  if (selected) parts.unshift(`${counted(selected[1] - selected[0], "byte")} selected`);
  find("place").textContent = parts.join(" · ");
  find("place").title = parts.join(" · ");
  describeBytes(at);
}

function describeBytes(at = Math.max(0, hex.state.cursor)) {
  find("cursor").textContent = at >= 0 ? `at ${number(at)} = 0x${at.toString(16)}` : "";
  inspect(at >= 0 ? hex.bytes(at, MOST) : []);
}

async function chooseByte(at, selected, isFound) {
  // What is before the byte on the screen belongs to records too, unless there are too many of them.
  if (!recordAt(at) && state.view[0] <= at && at < state.view[1]) await load(state.view[0]);
  if (!recordAt(at)) await load(at);
  const hit = fieldAt(at) ?? recordAt(at);
  if (hit && (!selected || isFound)) choose(hit, { at, from: "hex" });
  if (!hit || selected) describe(hit, at, selected);
}

async function chooseRow(row) {
  if (!recordAt(row.at)) await load(row.at, { keepsRows: true });
  const record = recordAt(row.at);
  // A row that is inside of a record is the outermost field that begins there.
  const hit = record && (record.begin === row.at ? record : (record.fields.find((each) => each.begin === row.at) ?? record));
  rows.choose([row]);
  if (hit) choose(hit, { at: row.at, from: "rows" });
  else hex.reveal(row.at);
}

/** Asks for the values of the chosen field, or of its record. */
function valueOf(isRecord) {
  const record = state.chosen && recordOf(state.chosen, state.chosen.begin);
  if (!record) throw new Error("Nothing is selected: choose a byte, a field or a row.");
  return read("value", { offset: record.begin, table: state.table, number: isRecord ? -1 : record.fields.indexOf(state.chosen) });
}

// Reading ----------------------------------------------------------------------------------------------------------------

/** Asks about the file as the spec here reads it: if another tab has compiled its spec since, this one is compiled again. */
async function read(name, given) {
  const mine = () => ask(name, { ...given, compiled: state.compiled?.number });
  try {
    return await mine();
  } catch (error) {
    if (!error.isStale) throw error;
    await compile();
    return mine();
  }
}

const OTHER_TAB = "another tab of this studio has compiled its spec: this one is compiled again when it is used";

async function load(offset, { keepsRows = false } = {}) {
  if (!state.compiled?.name) return;
  const given = { offset, table: state.table };
  const wanted = await tried(() => read("records", { ...given, count: RECORDS }));
  if (wanted) {
    state.records = wanted.records;
    state.starts = new Set(state.records.map((each) => each.begin));
    state.offset = offset;
    if (wanted.error) notice(wanted.error, "", null, "bad");
  }
  if (!state.compiled) return;
  tree.draw(state.records, "There are no records from here on.");
  const [first, last] = [state.records[0], state.records.at(-1)];
  find("record-title").textContent = first ? `${number(first.begin)} to ${number(last.end)}` : "";
  if (!keepsRows) {
    const found = await tried(() => read("rows", { ...given, offset: first?.begin ?? offset, count: ROWS }));
    drawRows(found ?? { columns: [], rows: [] }, state.compiled.plain ? "The spec declares no rows: '-wireloom: {rows: …}' in 'meta' makes a table of it." : "no rows from here on");
  }
  const chosen = state.chosen && sameAs(state.chosen);
  if (chosen) choose(chosen, { from: "load" });
  hex.draw();
  drawMap();
}

function drawRows(found, hint) {
  rows.draw(found, hint);
  const wrong = found.rows.filter((each) => each.error).length;
  const count = `${counted(found.rows.length - wrong, "row")}${wrong ? ` and ${number(wrong)} damaged` : ""}`;
  find("rows-title").textContent = found.rows.length ? `${count} from byte ${number(found.rows[0].at)} on${found.more ? ", and more" : ""}` : found.columns.length ? hint : "";
}

/** What was loaded again in the place of a record or field. */
function sameAs({ name, title, begin, end }) {
  const all = state.records.flatMap((record) => [record, ...record.fields]);
  return all.find((each) => each.begin === begin && each.end === end && each.name === name && !each.title === !title);
}

let surveys = 0;
/** Reads the whole file for its damage, in slices, between which clicks are answered. */
async function survey() {
  const mine = ++surveys;
  state.ranges = [];
  state.unread = [0, ""];
  for (let found = { done: false }; !found.done; ) {
    const asked = ask("survey", { table: state.table, compiled: state.compiled?.number });
    // Two tabs that read the whole file would take the place of each other for ever.
    found = await tried(() => asked.catch((error) => (error.isStale ? status(OTHER_TAB) : Promise.reject(error))));
    if (!found || mine !== surveys || state.isOpening) return;
    state.ranges = found.ranges;
    const damage = found.damaged ? `${number(found.damaged)} damaged` : found.done && found.stopped === null ? "no damage" : "no damage so far";
    const isWrong = !["clean", "unread"].includes(found.tail);
    state.unread = [found.stopped ?? hex.state.size, isWrong ? found.tail : ""];
    const tail = found.done && found.stopped !== null ? ` · not read from byte ${number(found.stopped)} on${isWrong ? `: ${found.tail}` : ""}` : "";
    const part = found.done ? "" : ` · ${Math.floor(100 * found.read)} % read`;
    if (found.rows !== null) status(`${number(found.rows)} rows · ${damage}${tail}${part} · ${state.compiled.coverage}`, found.damaged || tail ? "bad" : found.done ? "good" : "");
    find("damage").hidden = !state.ranges.length;
    hex.draw();
    drawMap();
  }
}

function nextDamage() {
  const next = state.ranges.find((each) => each.begin > hex.state.cursor) ?? state.ranges[0];
  if (next) hex.set(next.begin);
}

const drawMap = () => map({ size: hex.state.size, seen: state.view, ranges: state.ranges, unread: state.unread, isKnown: Boolean(state.compiled?.name) && !state.compiled.plain && hex.state.size > 0 });

/** Shows the bytes, which need no valid spec. */
async function unpack() {
  const found = await tried(() => ask("unpack"));
  if (!found) return;
  if (found.message) notice(found.message);
  if (found.state !== state.content) hex.size(found.size);
  state.content = found.state;
}

// The spec ---------------------------------------------------------------------------------------------------------------

let turn = 0;
async function compile() {
  const mine = ++turn;
  status("compiling …");
  ["tree", "rows"].forEach((name) => find(name).setAttribute("aria-busy", "true"));
  const text = editor.text();
  let found;
  try {
    found = await ask("compile", { text });
  } catch (error) {
    found = { diagnostics: [{ line: 1, column: 1, severity: "error", message: error.message, help: "", imported: "" }], notes: [], tables: [], name: null };
  }
  if (mine !== turn) return;
  state.compiled = found;
  settled();
  editor.problems(found.diagnostics.filter((each) => !each.imported));
  drawProblems(found, { go: editor.go, other: openImported });
  find("plan").textContent = found.plan ?? "The plan is shown when the spec has no errors.";
  find("table-choice").hidden = found.tables.length < 2;
  find("table").replaceChildren(...found.tables.map((each) => element("option", { value: each, selected: each === state.table }, each)));
  if (!found.tables.includes(state.table)) state.table = "";
  state.code = null;
  if (!find("code-panel").hidden) showCode();
  await unpack();
  if (mine !== turn) return;
  if (found.name) {
    status(found.coverage);
    await load(state.offset ?? 0);
    survey();
    return;
  }
  const errors = found.diagnostics.filter((each) => each.severity === "error").length;
  status(`${errors} ${errors === 1 ? "error" : "errors"}${state.records.length ? ": what is shown is of the last spec without any" : ""}`, "bad");
  if (!state.records.length) {
    tree.draw([], NO_SPEC);
    drawRows({ columns: [], rows: [] }, NO_SPEC);
  }
  ["tree", "rows"].forEach((name) => find(name).removeAttribute("aria-busy"));
}

async function save(anyway = false) {
  const text = editor.text();
  try {
    const done = await ask("save", { text, stamp: state.stamps.spec, anyway });
    state.stamps.spec = done.stamp;
    state.saved = text;
    notice("");
    changed();
  } catch (error) {
    notice(error.message, "Save anyway", () => save(true), "bad");
  }
}

function changed() {
  find("save").disabled = editor.text() === state.saved;
  document.title = `${editor.text() === state.saved ? "" : "● "}${basename(state.spec)} · wireloom studio`;
}

async function reload() {
  const found = await tried(() => ask("begin"));
  if (!found) return;
  state.saved = found.text;
  state.stamps = found.stamps;
  if (editor.text() !== found.text) editor.replace(found.text);
  changed();
}

async function watch() {
  const now = await ask("state").catch(() => null);
  if (!now) {
    status("this studio has ended: start 'wireloom studio' again", "bad");
  } else if (!state.isOpening && (now.paths[0] !== state.spec || now.paths[1] !== state.file)) {
    status(`another tab of this studio has opened ${now.paths.map(basename).join(" and ")}: load this page again to see them`, "bad");
  } else if (!state.isOpening) {
    if (state.compiled?.number && now.compiled > state.compiled.number && find("status").textContent !== "compiling …") status(OTHER_TAB);
    if (now.file !== state.stamps.file) {
      state.stamps.file = now.file;
      await unpack().then(() => load(state.offset ?? 0));
      if (state.compiled?.name) survey();
    }
    if (now.spec !== state.stamps.spec) {
      if (editor.text() === state.saved) await reload();
      else if (now.spec !== state.noticed) {
        // Its stamp stays the one of the text that is edited, so that saving asks.
        state.noticed = now.spec;
        notice("The spec has changed on disk, and here too. Saving asks before it overwrites what is on disk.", "Load what is on disk", reload);
      }
    }
  }
  setTimeout(watch, 1000);
}

async function showCode() {
  if (!state.compiled?.name) return;
  state.code ??= await tried(() => read("code"));
  if (!state.code) return;
  state.codeView ??= await makeCode();
  const files = Object.keys(state.code.files).filter((each) => each.includes("/"));
  const kept = find("code-file").value;
  const shown = files.includes(kept) ? kept : (files.find((each) => each.endsWith("/parser.py")) ?? files[0]);
  find("code-file").replaceChildren(...files.map((each) => element("option", { value: each, selected: each === shown }, each)));
  state.codeView(state.code.files[shown]);
}

// Files ------------------------------------------------------------------------------------------------------------------

/** Forgets what is shown of a file, and shows the bytes of the one that the server has now. */
function begin(found) {
  turn += 1;
  surveys += 1;
  Object.assign(state, { spec: found.spec, file: found.file, stamps: found.stamps, records: [], ranges: [], starts: new Set(), unread: [0, ""], noticed: "", compiled: null, before: [], offset: 0, content: "", chosen: null });
  settled();
  find("damage").hidden = true;
  find("spec-name").textContent = basename(found.spec);
  find("file-name").textContent = basename(found.file);
  find("spec-name").title = `${found.spec}: open another spec`;
  find("file-name").title = `${found.file}: open another file (Ctrl-O)`;
  [find("tree"), find("rows")].forEach(skeleton);
  ["record-title", "rows-title"].forEach((each) => (find(each).textContent = ""));
  Object.assign(hex.state, { cursor: -1, first: 0, selected: [-1, -1] });
  hex.choose(-1, -1);
  hex.size(found.size);
  describeBytes(-1);
  find("place").textContent = "";
}

async function open(kind, path) {
  state.isOpening = true;
  supersede();
  try {
    const found = await ask("open", { [kind]: path });
    begin(found);
    if (kind === "spec") state.saved = found.text;
    // A change of the text is compiled in any case.
    if (kind === "spec" && editor.text() !== found.text) editor.replace(found.text);
    else tried(compile);
    changed();
  } finally {
    state.isOpening = false;
    // What could not be opened leaves what was there.
    if (state.compiled?.name) survey();
  }
}

/** A spec replaces the text of the editor, so what is not saved is asked about first. */
function openSpec(then) {
  if (editor.text() === state.saved) then();
  else notice(`The changes of ${basename(state.spec)} are not saved.`, "Open another without saving", then);
}

function openImported(problem) {
  const [from, label] = [state.spec, basename(state.spec)];
  const show = () => tried(async () => {
    await open("spec", problem.imported);
    editor.go(problem);
    notice(`${problem.file} is imported by ${label}.`, `Back to ${label}`, () => openSpec(() => tried(() => open("spec", from))));
  });
  notice(`This is in ${problem.file}, which ${label} imports.`, `Open ${problem.file}`, () => openSpec(show));
}

// The page ---------------------------------------------------------------------------------------------------------------

const near = debounced(250, (begin) => recordAt(begin) || load(begin));
const map = makeMap({ wanted: (at) => hex.set(at) });
const hex = makeHex(find("hex"), {
  owner: fieldAt,
  damaged: damagedAt,
  edges: (at) => state.starts.has(at),
  pointed: (at) => light(at < 0 ? null : (fieldAt(at) ?? recordAt(at) ?? null), at),
  chosen: (...given) => tried(() => chooseByte(...given)),
  fetched: () => describeBytes(),
  scrolled(begin, end) {
    state.view = [begin, end];
    drawMap();
    if (state.records.length && !state.compiled?.plain) near(begin);
  },
  copied: () => copy("hex"),
});
const tree = makeFields(find("tree"), { pointed: (thing) => light(thing), chosen: (thing) => choose(thing) });
const rows = makeRows(find("rows"), { pointed: (row) => light(row && (recordAt(row.at) ?? null), row?.at), chosen: (row) => tried(() => chooseRow(row)) });
const copy = makeCopying({ selection: hex.selection, value: valueOf });
const search = makeSearch({ cursor: () => hex.state.cursor, size: () => hex.state.size, found: hex.select, go: hex.set });
const opening = makeOpening({ open });
const later = debounced(350, compile);
const begun = await ask("begin");
const editor = await makeEditor({
  text: begun.text,
  changed: () => (changed(), later()),
  saves: () => save(),
  pointed(line) {
    if (line !== state.line) light(ofLine((state.line = line)));
  },
  moved(line) {
    const seen = ofLine(line);
    if (seen) choose(seen, { from: "editor" });
  },
});
state.saved = begun.text;
begin(begun);
changed();
makeLayout({
  opened: (tab) => tab === "code-tab" && showCode(),
  keys: {
    "Ctrl-s": () => save(), "Ctrl-g": () => find("goto").focus(), "Ctrl-f": () => find("query").focus(), "Ctrl-o": () => opening("file", state.file),
    F3: search.next, "Shift-F3": search.previous, F8: nextDamage,
  },
});
find("save").addEventListener("click", () => save());
find("damage").addEventListener("click", nextDamage);
find("notice-close").addEventListener("click", () => notice(""));
find("spec-name").addEventListener("click", () => openSpec(() => opening("spec", state.spec)));
find("file-name").addEventListener("click", () => opening("file", state.file));
find("table").addEventListener("change", (event) => ((state.table = event.target.value), load(0).then(survey)));
find("next").addEventListener("click", () => state.records.length && (state.before.push(state.offset), load(state.records.at(-1).end)));
find("previous").addEventListener("click", () => load(state.before.pop() ?? 0));
find("code-file").addEventListener("change", showCode);
window.addEventListener("beforeunload", (event) => editor.text() !== state.saved && event.preventDefault());
await tried(compile);
document.documentElement.dataset.ready = "true";
setTimeout(watch, 1000);
