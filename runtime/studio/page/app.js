// Ties the parts together: what is pointed at or chosen in one of them is shown in all others.
import { makeCode, makeEditor } from "./editor.js";
import { makeHex } from "./hex.js";
import { makeRows } from "./rows.js";
import { ask, debounced, element, find, number } from "./tools.js";
import { makeFields } from "./tree.js";

const RECORDS = 100;
const ROWS = 200;
const state = { records: [], ranges: [], starts: new Set(), stamps: {}, saved: "", compiled: null, table: "", before: [], view: [0, 0] };
const name = (path) => path.split(/[\\/]/).at(-1);

// Where bytes belong ---------------------------------------------------------------------------------------------------

function recordAt(at) {
  return state.records.find((each) => at >= each.begin && at < each.end);
}

/** The innermost field that holds a byte; parents stand before their children. */
function fieldAt(at) {
  return recordAt(at)?.fields.findLast((each) => each.begin <= at && at < each.end);
}

const damagedAt = (at) => state.ranges.some((each) => each.begin <= at && at < each.end);

function fieldsOn(line) {
  const all = state.records.flatMap((record) => record.fields);
  const found = all.filter((each) => each.line > 0 && each.line <= line && line <= each.last && each.begin >= 0);
  const nearest = Math.max(...found.map((each) => each.line));
  return found.filter((each) => each.line === nearest);
}

// Linking ----------------------------------------------------------------------------------------------------------------

function light(thing, at = thing?.begin ?? -1) {
  tree.light(thing);
  hex.light(thing?.begin ?? -1, thing?.end ?? -1);
  const record = thing && (thing.fields ? thing : recordAt(at));
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
  const record = thing.fields ? thing : recordAt(at);
  if (from !== "rows") rows.choose(record ? rows.of(record, at) : []);
  editor.lines(chosenLines());
  if (from === "load") return;
  if (thing.line && from !== "editor") editor.show(thing.line);
  describe(thing, at);
}

function describe(thing, at) {
  const parts = thing ? [thing.title ?? thing.name, thing.kind, thing.doc, thing.problem ?? thing.message].filter(Boolean) : [];
  find("place").textContent = at >= 0 ? `${number(at)} = 0x${at.toString(16)}${parts.length ? ` · ${parts.join(" · ")}` : ""}` : "";
  const bytes = at >= 0 ? hex.bytes(at, 8) : [];
  const view = new DataView(new Uint8Array(bytes.map((each) => each ?? 0)).buffer);
  const known = bytes.findIndex((each) => each === undefined);
  const left = known < 0 ? bytes.length : known;
  const lines = [true, false].map((little) => {
    const line = element("div", {}, little ? "little " : "big    ");
    for (const [label, size, method] of [["u2", 2, "getUint16"], ["u4", 4, "getUint32"], ["s4", 4, "getInt32"], ["u8", 8, "getBigUint64"], ["f4", 4, "getFloat32"], ["f8", 8, "getFloat64"]]) {
      if (left < size) continue;
      const value = view[method](0, little);
      if (label === "s4" && value >= 0) continue;
      line.append(`${label} `, element("b", {}, typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(4) : Math.abs(Number(value)) < 1e21 ? String(value) : Number(value).toExponential(3)));
    }
    return line;
  });
  find("values").replaceChildren(...(at >= 0 ? lines : []));
}

async function chooseByte(at) {
  // What is before the byte on the screen belongs to records too, unless there are too many of them.
  if (!recordAt(at) && state.view[0] <= at && at < state.view[1]) await load(state.view[0]);
  if (!recordAt(at)) await load(at);
  const hit = fieldAt(at) ?? recordAt(at);
  if (hit) choose(hit, { at, from: "hex" });
  else describe(null, at);
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

// Reading ----------------------------------------------------------------------------------------------------------------

function status(text, kind = "") {
  find("status").textContent = text;
  find("status").className = kind;
}

function notice(text, label = "", act = null) {
  find("notice").hidden = !text;
  find("notice-text").textContent = text;
  find("notice-act").hidden = !label;
  find("notice-act").textContent = label;
  find("notice-act").onclick = () => (notice(""), act());
}

async function tried(work) {
  try {
    return await work();
  } catch (error) {
    notice(error.message);
    return null;
  }
}

async function load(offset, { keepsRows = false } = {}) {
  if (!state.compiled?.name) return;
  const given = { offset, table: state.table };
  const wanted = await tried(() => ask("records", { ...given, count: RECORDS }));
  if (wanted) {
    state.records = wanted.records;
    let colour = 0;
    state.records.forEach((record) => record.fields.forEach((field) => (field.colour = colour++)));
    state.starts = new Set(state.records.map((each) => each.begin));
    state.offset = offset;
    if (wanted.error) notice(wanted.error);
  }
  tree.draw(state.records, "There are no records from here on.");
  const [first, last] = [state.records[0], state.records.at(-1)];
  find("record-title").textContent = first ? `${number(first.begin)} to ${number(last.end)}` : "";
  if (!keepsRows) {
    const found = await tried(() => ask("rows", { ...given, offset: first?.begin ?? offset, count: ROWS }));
    rows.draw(found ?? { columns: [], rows: [] }, state.compiled.plain ? "The spec declares no rows: '-wireloom: {rows: …}' in 'meta' makes a table of it." : "There are no rows.");
    find("rows-title").textContent = found?.rows.length ? `${number(found.rows.length)} rows from byte ${number(found.rows[0].at)} on${found.more ? ", and more" : ""}` : "";
  }
  const chosen = state.chosen && sameAs(state.chosen);
  if (chosen) choose(chosen, { from: "load" });
  hex.draw();
  drawMap();
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
  for (let found = { done: false }; !found.done; ) {
    found = await tried(() => ask("survey", { table: state.table }));
    if (!found || mine !== surveys) return;
    state.ranges = found.ranges;
    const damage = found.damaged ? `${number(found.damaged)} damaged` : found.done ? "no damage" : "no damage so far";
    const tail = found.tail === "clean" ? "" : ` · tail: ${found.tail}`;
    const part = found.done ? "" : ` · ${Math.floor(100 * found.read)} % read`;
    if (found.rows !== null) status(`${state.compiled.coverage} · ${number(found.rows)} rows · ${damage}${tail}${part}`, found.damaged || tail ? "bad" : found.done ? "good" : "");
    find("damage").hidden = !state.ranges.length;
    hex.draw();
    drawMap();
  }
}

function nextDamage() {
  const next = state.ranges.find((each) => each.begin > hex.state.cursor) ?? state.ranges[0];
  if (next) hex.set(next.begin);
}

function drawMap() {
  const map = find("map");
  map.classList.toggle("unknown", !state.compiled?.name);
  const total = Math.max(1, hex.state.size);
  const place = (made, begin, end) => {
    made.style.left = `${(100 * begin) / total}%`;
    made.style.width = `${(100 * Math.max(0, end - begin)) / total}%`;
    return made;
  };
  const marks = state.ranges.map((each) => place(element("i", { title: `bytes ${number(each.begin)} to ${number(each.end)}: ${each.text}` }), each.begin, each.end));
  map.replaceChildren(...marks, place(element("b"), ...state.view));
}

// The spec ---------------------------------------------------------------------------------------------------------------

let turn = 0;
async function compile() {
  const mine = ++turn;
  status("compiling …");
  const text = editor.text();
  let found;
  try {
    found = await ask("compile", { text });
  } catch (error) {
    found = { diagnostics: [{ line: 1, column: 1, severity: "error", message: error.message, help: "" }], notes: [], tables: [], name: null };
  }
  if (mine !== turn) return;
  state.compiled = found;
  const here = found.diagnostics.filter((each) => !each.file || name(each.file) === name(state.spec));
  editor.problems(here);
  drawProblems(found);
  find("plan").textContent = found.plan ?? "The plan is shown when the spec has no errors.";
  find("table-choice").hidden = found.tables.length < 2;
  find("table").replaceChildren(...found.tables.map((each) => element("option", { value: each, selected: each === state.table }, each)));
  if (!found.tables.includes(state.table)) state.table = "";
  state.code = null;
  if (!find("code-panel").hidden) showCode();
  if (!found.name) {
    const errors = found.diagnostics.filter((each) => each.severity === "error").length;
    status(`${errors} ${errors === 1 ? "error" : "errors"}: what is shown is of the last spec without any`, "bad");
    return;
  }
  status(found.coverage);
  await unpack();
  await load(state.offset ?? 0);
  survey();
}

async function unpack() {
  const found = await tried(() => ask("unpack"));
  if (!found) return;
  if (found.message) notice(found.message);
  if (found.size !== hex.state.size || state.fresh) hex.size(found.size);
  state.fresh = false;
}

function drawProblems(found) {
  const all = [...found.diagnostics, ...found.notes];
  find("problems").replaceChildren(...all.map((each) => {
    const button = element("button", { type: "button", className: each.severity }, element("span", { className: "at" }, `${each.line}:${each.column}`));
    button.append(each.message);
    if (each.help) button.append(element("small", {}, each.help));
    button.addEventListener("click", () => editor.go(each));
    return element("li", {}, button);
  }));
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
    notice(error.message, "Save anyway", () => save(true));
  }
}

function changed() {
  find("save").disabled = editor.text() === state.saved;
  document.title = `${editor.text() === state.saved ? "" : "● "}${name(state.spec)} · wireloom studio`;
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
  } else {
    if (now.file !== state.stamps.file) {
      state.stamps.file = now.file;
      state.fresh = true;
      if (state.compiled?.name) await unpack().then(() => load(state.offset ?? 0)), survey();
    }
    if (now.spec !== state.stamps.spec) {
      if (editor.text() === state.saved) await reload();
      else {
        state.stamps.spec = now.spec;
        notice("The spec has changed on disk, and here too.", "Load what is on disk", reload);
      }
    }
  }
  setTimeout(watch, 1000);
}

async function showCode() {
  if (!state.compiled?.name) return;
  state.code ??= await tried(() => ask("code"));
  if (!state.code) return;
  state.codeView ??= await makeCode();
  const files = Object.keys(state.code.files).filter((each) => each.includes("/"));
  const kept = find("code-file").value;
  const shown = files.includes(kept) ? kept : (files.find((each) => each.endsWith("/parser.py")) ?? files[0]);
  find("code-file").replaceChildren(...files.map((each) => element("option", { value: each, selected: each === shown }, each)));
  state.codeView(state.code.files[shown]);
}

// The page ---------------------------------------------------------------------------------------------------------------

const near = debounced(250, (begin) => recordAt(begin) || load(begin));
const hex = makeHex(find("hex"), {
  owner: fieldAt,
  damaged: damagedAt,
  edges: (at) => state.starts.has(at),
  pointed: (at) => light(at < 0 ? null : (fieldAt(at) ?? recordAt(at) ?? null), at),
  chosen: (at) => tried(() => chooseByte(at)),
  scrolled(begin, end) {
    state.view = [begin, end];
    drawMap();
    if (state.records.length && !state.compiled?.plain) near(begin);
  },
});
const tree = makeFields(find("tree"), { pointed: (thing) => light(thing), chosen: (thing) => choose(thing) });
const rows = makeRows(find("rows"), { pointed: (row) => light(row && (recordAt(row.at) ?? null), row?.at), chosen: (row) => tried(() => chooseRow(row)) });
const begun = await ask("begin");
state.spec = begun.spec;
state.saved = begun.text;
state.stamps = begun.stamps;
find("spec-name").textContent = name(begun.spec);
find("file-name").textContent = name(begun.file);
find("spec-name").title = begun.spec;
find("file-name").title = begun.file;
const later = debounced(350, compile);
/** The field of the attribute on a line that is on the screen, or the first one that is loaded. */
function ofLine(line) {
  const hits = line ? fieldsOn(line) : [];
  return hits.find((each) => each.begin < state.view[1] && each.end > state.view[0]) ?? hits[0] ?? null;
}
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
changed();
find("save").addEventListener("click", () => save());
find("damage").addEventListener("click", nextDamage);
find("notice-close").addEventListener("click", () => notice(""));
find("table").addEventListener("change", (event) => ((state.table = event.target.value), load(0).then(survey)));
find("go").addEventListener("submit", (event) => {
  event.preventDefault();
  const at = Number(find("goto").value.trim().replaceAll(",", ""));
  if (Number.isInteger(at) && at >= 0 && at < hex.state.size) hex.set(at);
  else notice(`There is no byte ${find("goto").value}: the file has ${number(hex.state.size)} bytes.`);
});
find("map").addEventListener("click", (event) => {
  const box = find("map").getBoundingClientRect();
  hex.set(Math.min(hex.state.size - 1, Math.floor(((event.clientX - box.left) / box.width) * hex.state.size)));
});
find("next").addEventListener("click", () => state.records.length && (state.before.push(state.offset), load(state.records.at(-1).end)));
find("previous").addEventListener("click", () => load(state.before.pop() ?? 0));
find("code-file").addEventListener("change", showCode);
document.querySelectorAll('[role="tab"]').forEach((tab) => tab.addEventListener("click", () => {
  document.querySelectorAll('[role="tab"]').forEach((each) => {
    each.setAttribute("aria-selected", String(each === tab));
    find(each.dataset.panel).hidden = each !== tab;
  });
  if (tab.id === "code-tab") showCode();
}));
document.querySelectorAll(".divider").forEach((bar) => bar.addEventListener("pointerdown", (down) => {
  const pane = find(bar.dataset.before);
  const flat = bar.classList.contains("flat");
  const start = flat ? pane.offsetHeight + down.clientY : pane.offsetWidth - down.clientX;
  bar.setPointerCapture(down.pointerId);
  bar.onpointermove = (move) => (pane.style.flex = `0 0 ${Math.max(80, flat ? start - move.clientY : start + move.clientX)}px`);
  bar.onpointerup = () => (bar.onpointermove = null);
}));
window.addEventListener("beforeunload", (event) => editor.text() !== state.saved && event.preventDefault());
await tried(compile);
document.documentElement.dataset.ready = "true";
setTimeout(watch, 1000);
