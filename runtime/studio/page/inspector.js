// What the bytes at the cursor are as numbers, times and text.
import { element, find, hexadecimal } from "./tools.js";

export const MOST = 48;
const INTEGERS = [["u2", 2, "getUint16"], ["s2", 2, "getInt16"], ["u4", 4, "getUint32"], ["s4", 4, "getInt32"], ["u8", 8, "getBigUint64"], ["s8", 8, "getBigInt64"]];
const FLOATS = [["f4", 4, "getFloat32"], ["f8", 8, "getFloat64"]];
const UNITS = [["s", 1n, 1000n], ["ms", 1n, 1n], ["µs", 1000n, 1n], ["ns", 1000000n, 1n]];
const EARLIEST = BigInt(Date.UTC(1980, 0));
const LATEST = BigInt(Date.UTC(2100, 0));
const NONE = "–";

const iso = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ");

/** The time since 1970 that a count is in the first unit in which it is one of these years. */
export function timeOf(count) {
  for (const [unit, divisor, factor] of UNITS) {
    const milliseconds = (count * factor) / divisor;
    if (milliseconds >= EARLIEST && milliseconds < LATEST) return `${iso(Number(milliseconds))} ${unit}`;
  }
  return NONE;
}

/** A varint of protobuf at the beginning of bytes, or null. */
export function varintOf(bytes) {
  let value = 0n;
  for (let place = 0; place < Math.min(bytes.length, 10); place += 1) {
    value |= BigInt(bytes[place] & 127) << BigInt(7 * place);
    if (bytes[place] < 128) return { value: BigInt.asUintN(64, value), size: place + 1 };
  }
  return null;
}

/** The text up to the first byte that is none. */
export function textOf(bytes) {
  const text = new TextDecoder().decode(Uint8Array.from(bytes));
  return text.match(/^[^\p{Cc}\ufffd]*/u)[0];
}

/** The shortest text that is a number of 4 or 8 bytes, and all digits of a whole number. */
export function floatOf(value, size) {
  if (size === 8 || Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  const isSame = (digits) => Math.fround(Number(value.toPrecision(digits))) === value;
  return String(Number(value.toPrecision([6, 7, 8].find(isSame) ?? 9)));
}

/** Rows of a name and of values, one or two: the latter in little and in big endian. */
export function meanings(bytes) {
  const view = new DataView(Uint8Array.from(bytes).buffer);
  const both = (size, read) => (bytes.length < size ? [NONE, NONE] : [read(true), read(false)]);
  const rows = [["u1, s1", `${bytes[0]}, ${view.getInt8(0)}`]];
  for (const [name, size, method] of INTEGERS) rows.push([name, ...both(size, (little) => String(view[method](0, little)))]);
  for (const [name, size, method] of FLOATS) {
    rows.push([name, ...both(size, (little) => floatOf(view[method](0, little), size))]);
  }
  rows.push(["time 4", ...both(4, (little) => iso(1000 * view.getUint32(0, little)))]);
  rows.push(["time 8", ...both(8, (little) => timeOf(view.getBigUint64(0, little)))]);
  const varint = varintOf(bytes);
  const zigzag = varint && ((varint.value >> 1n) ^ -(varint.value & 1n));
  rows.push(["varint", varint ? `${varint.value}, zigzag ${zigzag}, ${varint.size} B` : NONE]);
  rows.push(["bits", `${bytes[0].toString(2).padStart(8, "0")}, 0x${hexadecimal(bytes[0])}`]);
  rows.push(["text", textOf(bytes) || NONE]);
  return rows;
}

export function inspect(bytes) {
  const root = find("values");
  if (!bytes.length) return root.replaceChildren(element("p", { className: "empty" }, "Choose a byte to see what it is as a number, a time and text."));
  const head = ["", "little endian", "big endian"].map((text) => (text ? element("th", { scope: "col" }, text) : element("td")));
  const body = meanings(bytes).map(([name, ...values]) => {
    const cells = values.map((text) => element("td", { title: text, colSpan: 3 - values.length }, text));
    return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
  });
  root.replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}
