// Finds bytes or text in the file, and goes to a byte by its number.
import { ask, counted, find, hexadecimal, notice, number, tried } from "./tools.js";

function wantedHex() {
  const text = find("query").value;
  if (find("search-kind").value === "hex") {
    const digits = text.replace(/0x|[\s,:]/gi, "");
    return /^([0-9a-f]{2})+$/i.test(digits) ? digits : null;
  }
  return [...new TextEncoder().encode(text)].map(hexadecimal).join("");
}

/** A number of a byte, decimal or hexadecimal; NaN if it is none. */
function placeOf(text) {
  const found = text.match(/^0x([0-9a-f]+)$/i) ?? text.match(/^(?=.*[a-fh])([0-9a-f]+)h?$/i);
  return found ? parseInt(found[1], 16) : /^\d+$/.test(text) ? Number(text) : NaN;
}

export function makeSearch({ cursor, size, found, go }) {
  let resumes = -1;
  async function search(backwards) {
    const hex = wantedHex();
    if (hex === null) return notice("Bytes to find are pairs of hex digits, such as 7b 22.");
    if (!hex) return (notice(""), find("query").focus());
    const offset = resumes >= 0 ? resumes : Math.max(0, cursor() + (backwards || cursor() < 0 ? 0 : 1));
    const answer = await tried(() => ask("find", { hex, offset, backwards }));
    if (!answer) return;
    resumes = answer.stopped;
    notice(resumes >= 0 ? `Not found up to byte ${number(resumes)}: search again to continue there.` : answer.at < 0 ? "Not found in the file." : "");
    if (answer.at >= 0) found(answer.at, answer.at + hex.length / 2);
  }
  find("search").addEventListener("submit", (event) => (event.preventDefault(), search(false)));
  find("query").addEventListener("input", () => (resumes = -1));
  find("query").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.shiftKey) return;
    event.preventDefault();
    search(true);
  });
  find("find-previous").addEventListener("click", () => search(true));
  find("go").addEventListener("submit", (event) => {
    event.preventDefault();
    const at = placeOf(find("goto").value.trim().replaceAll(",", ""));
    if (at < size()) {
      notice("");
      go(at);
      find("hex").focus();
    } else notice(`There is no byte ${find("goto").value}: the file has ${counted(size(), "byte")}. Hexadecimal numbers begin with 0x or have a letter.`);
  });
  return { next: () => search(false), previous: () => search(true) };
}
