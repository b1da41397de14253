// The page of "wireloom inspect --html". Everything that comes from the file is put in as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const hues = getComputedStyle(document.documentElement).getPropertyValue("--hues").trim().split(/\s+/);
const perLine = 16;
const state = { record: -1, field: -1, cursor: -1, hits: [], hit: -1, bytes: [] };
const find = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// Overview -----------------------------------------------------------------------------------------------------------

function drawOverview() {
  find("file").textContent = data.file;
  const parts = [data.format, counted(data.rows, "good record"), counted(data.bytes, "byte")];
  parts.push(data.damaged ? `${number(data.damaged)} damaged` : "no damage");
  if (data.tail !== "clean") parts.push(`tail: ${data.tail}`);
  if (data.error) parts.push(data.error);
  find("summary").textContent = parts.join(" · ");
  find("length").textContent = counted(data.bytes, "byte");
  find("shown").textContent = `${counted(data.records.length, "record")} on this page`;
  const total = Math.max(1, data.bytes);
  const place = (begin, end) => `left:${(100 * begin) / total}%;width:${(100 * Math.max(0, end - begin)) / total}%`;
  for (const run of runs()) {
    const part = element("button", { className: "part", tabIndex: -1, type: "button", "aria-hidden": "true" });
    part.style.cssText = place(run[0], run[1]);
    find("map").append(part);
  }
  for (const range of data.ranges) {
    const many = range.count > 1 ? `${range.count} ranges between ` : "";
    const text = `${many}bytes ${number(range.begin)} to ${number(range.end)}: ${range.text}`;
    const mark = element("button", { title: text, type: "button", "aria-label": text });
    mark.style.cssText = place(range.begin, range.end);
    mark.addEventListener("click", () => goTo(range, text));
    find("map").append(mark);
  }
}

/** Stretches of the file that are on this page. */
function runs() {
  const found = [];
  for (const each of data.records) {
    const last = found[found.length - 1];
    if (last && each.begin <= last[1]) last[1] = Math.max(last[1], each.end);
    else found.push([each.begin, each.end]);
  }
  return found;
}

function goTo(range, text) {
  const index = data.records.findIndex((each) => each.begin < Math.max(range.end, range.begin + 1) && each.end > range.begin);
  if (index >= 0) open(index);
  else find("elsewhere").textContent = `${text}; not on this page: wireloom inspect … --at ${range.begin}`;
}

function drawRecords() {
  data.records.forEach((each, index) => {
    const label = each.reason ? `${each.title} ✗` : each.title;
    const button = element("button", { type: "button" }, element("span", {}, label), element("small", {}, number(each.begin)));
    if (each.reason) button.className = "damaged";
    button.title = `bytes ${number(each.begin)} to ${number(each.end)}: ${each.verdict}`;
    button.addEventListener("click", () => open(index));
    find("records").append(element("li", {}, button));
  });
}

// One record -----------------------------------------------------------------------------------------------------------

function open(index, field = -1) {
  const record = data.records[index];
  if (!record) return;
  if (state.record !== index) {
    state.record = index;
    state.field = -1;
    state.cursor = -1;
    state.bytes = [];
    drawRecord(record);
    history.replaceState(null, "", `#${index}`);
    find("records").querySelectorAll("button").forEach((each, place) => {
      if (place === index) {
        each.setAttribute("aria-current", "true");
        each.scrollIntoView({ block: "nearest" });
      } else each.removeAttribute("aria-current");
    });
  }
  if (field >= 0) choose(field);
}

function drawRecord(record) {
  const size = record.end - record.begin;
  find("title").textContent = `${record.title}: bytes ${number(record.begin)} to ${number(record.end)} (${counted(size, "byte")})`;
  const message = find("message");
  message.className = record.reason ? "bad" : "good";
  message.textContent = record.reason ? `✗ ${record.verdict}${record.message ? ` – ${record.message}` : ""}` : `✓ ${record.verdict}`;
  const owners = ownersOf(record);
  const places = record.places;
  const content = unhex(record.hex);
  find("content").replaceChildren(...(places && !content.length ? [] : dump(record, content, record.base, owners, null, record.size)));
  find("stored").hidden = !places;
  find("raw").replaceChildren(...(places ? dump(record, unhex(record.raw), record.begin, owners, places, record.rawSize) : []));
  drawTree(record);
  find("about").textContent = "";
}

const unhex = (text) => text.match(/../g) ?? [];

/** For each byte of the content the innermost field that holds it; parents stand before their children. */
function ownersOf(record) {
  const owners = new Array(record.hex.length / 2).fill(-1);
  record.fields.forEach((field, index) => {
    if (field.begin >= 0) owners.fill(index, field.begin, Math.min(field.begin + field.size, owners.length));
  });
  return owners;
}

function tint(made, record, field) {
  if (field < 0) return;
  made.classList.add("tint");
  made.style.setProperty("--hue", hues[field % hues.length]);
  if (record.fields[field].problem) made.classList.add("wrong");
}

function dump(record, bytes, base, owners, places, size) {
  const made = element("div", { className: "dump", tabIndex: 0, role: "group" });
  made.setAttribute("aria-label", "Bytes: arrow keys move, Enter opens the field");
  for (let line = 0; line < bytes.length; line += perLine) {
    const row = element("div", {}, element("span", { className: "offset" }, `${(base + line).toString(16).padStart(8, "0")}  `));
    const signs = element("span", { className: "signs" });
    for (let index = line; index < line + perLine; index += 1) {
      const gap = index % 8 === 0 && index !== line ? " gap" : "";
      if (index >= bytes.length) {
        row.append(element("i", { className: gap, style: "visibility:hidden" }, "00"));
        continue;
      }
      const place = places ? places[index] : index;
      const code = parseInt(bytes[index], 16);
      const sign = code >= 32 && code < 127 ? String.fromCharCode(code) : "·";
      for (const [target, text] of [[row, bytes[index]], [signs, sign]]) {
        const cell = element(place < 0 ? "i" : "b", {}, text);
        if (gap && target === row) row.append(" ");
        if (place < 0) cell.title = "delimiter or stuffing";
        else {
          cell.dataset.at = place;
          tint(cell, record, owners[place] ?? -1);
          (state.bytes[place] ??= []).push(cell);
        }
        target.append(cell);
      }
    }
    row.append("  ", signs);
    made.append(row);
  }
  const at = (event) => (event.target.dataset?.at === undefined ? -1 : Number(event.target.dataset.at));
  made.addEventListener("mouseover", (event) => light(at(event) < 0 ? -1 : (owners[at(event)] ?? -1)));
  made.addEventListener("mouseleave", () => light(-1));
  made.addEventListener("click", (event) => at(event) >= 0 && choose(owners[at(event)] ?? -1, true));
  made.addEventListener("keydown", (event) => moveCursor(event, owners));
  const rest = size - bytes.length;
  return rest > 0 ? [made, element("p", { className: "more" }, `… ${counted(rest, "more byte")} not on this page`)] : [made];
}

function moveCursor(event, owners) {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: perLine, ArrowUp: -perLine }[event.key];
  if (event.key === "Enter" && state.cursor >= 0) choose(owners[state.cursor], true);
  if (step === undefined) return;
  event.preventDefault();
  state.bytes[state.cursor]?.forEach((each) => each.classList.remove("cursor"));
  state.cursor = Math.max(0, Math.min(owners.length - 1, state.cursor + step));
  state.bytes[state.cursor]?.forEach((each) => each.classList.add("cursor"));
  light(owners[state.cursor]);
  describe(owners[state.cursor]);
}

const tree = makeTree(find("tree"), {
  element,
  pointed: (index) => light(index ?? -1),
  chosen: (index) => choose(index),
});

function drawTree(record) {
  tree.clear();
  record.fields.forEach((field, index) => {
    const name = element("span", { className: "name" }, field.name);
    tint(name, record, field.begin >= 0 ? index : -1);
    const where = field.begin >= 0 ? `+${field.begin.toString(16)} · ${number(field.size)} B` : field.computed ? "computed" : "";
    const parts = [name, element("span", { className: "value" }, field.value), element("span", { className: "place" }, where)];
    if (field.checked === true) parts.push(element("span", { className: "good" }, "✓ checksum holds"));
    if (field.problem) parts.push(element("span", { className: "bad" }, `✗ ${field.problem}`));
    // Fields of the record's own ones begin open, those further inside closed.
    const above = field.parent < 0 ? null : field.parent;
    tree.add(index, above, parts, { isOpen: above !== null && record.fields[above].parent < 0 });
  });
}

// Fields and bytes -----------------------------------------------------------------------------------------------------

function cells(field) {
  const each = data.records[state.record]?.fields[field];
  if (!each || each.begin < 0) return [];
  return state.bytes.slice(each.begin, each.begin + each.size).flatMap((found) => found ?? []);
}

function mark(name, field) {
  document.querySelectorAll(`.${name}`).forEach((each) => each.classList.remove(name));
  cells(field).forEach((each) => each.classList.add(name));
}

function light(field) {
  mark("lit", field);
  tree.light(field);
}

/** Selects a field: its parents open, its bytes are framed. */
function choose(field, focus = false) {
  const item = tree.choose(field);
  if (!item) return;
  state.field = field;
  mark("chosen", field);
  cells(field)[0]?.scrollIntoView({ block: "nearest" });
  if (focus) item.focus({ preventScroll: true });
  describe(field);
}

function describe(field) {
  const each = data.records[state.record]?.fields[field];
  if (!each) return;
  const parts = [each.name, each.kind, each.begin >= 0 ? counted(each.size, "byte") : "", each.doc, each.problem ?? ""];
  find("about").textContent = parts.filter(Boolean).join(" · ");
}

// Search -----------------------------------------------------------------------------------------------------------------

function search(text) {
  const wanted = text.trim().toLowerCase();
  const bytes = wanted.replace(/\s+/g, "");
  const isHex = /^([0-9a-f]{2})+$/.test(bytes);
  state.hits = [];
  state.hit = -1;
  if (wanted) {
    data.records.forEach((record, index) => {
      const seen = new Set();
      record.fields.forEach((field, place) => {
        if ([field.name, field.value, field.problem ?? ""].some((each) => each.toLowerCase().includes(wanted))) seen.add(place);
      });
      if (record.title.toLowerCase() === wanted || (record.reason ?? "").includes(wanted)) seen.add(-1);
      if (isHex) {
        const owners = ownersOf(record);
        for (let at = record.hex.indexOf(bytes); at >= 0; at = record.hex.indexOf(bytes, at + 1)) {
          if (at % 2 === 0) seen.add(owners[at / 2]);
        }
      }
      seen.forEach((place) => state.hits.push([index, place]));
    });
  }
  step(1);
}

function step(by) {
  const count = state.hits.length;
  if (count) {
    state.hit = (state.hit + by + count) % count;
    open(...state.hits[state.hit]);
  }
  find("hits").textContent = count ? `${number(state.hit + 1)} of ${number(count)}` : find("query").value.trim() ? "nothing" : "";
}

drawOverview();
drawRecords();
find("query").addEventListener("input", (event) => search(event.target.value));
find("query").addEventListener("keydown", (event) => event.key === "Enter" && step(event.shiftKey ? -1 : 1));
find("next").addEventListener("click", () => step(1));
find("previous").addEventListener("click", () => step(-1));
window.addEventListener("hashchange", () => open(Number(location.hash.slice(1))));
// "#3" is the fourth record, "#3.2" its third field.
const [first, field] = location.hash.slice(1).split(".");
open(data.records[Number(first)] ? Number(first) : 0, field === undefined ? -1 : Number(field));
document.documentElement.dataset.ready = "true";
