// Where bytes belong: the records and fields that are loaded, by the offsets of their bytes.

/** ``state``: the records, the damaged ranges, and the bytes that are on the screen. */
export function makePlaces(state) {
  function recordAt(at) {
    return state.records.find((each) => at >= each.begin && at < each.end);
  }

  /** The innermost field that holds a byte. What is computed from bytes only counts where nothing else is. */
  function fieldAt(at) {
    const size = (each) => each.end - each.begin;
    const isNearer = (each, best) => !best || (each.computed === best.computed ? size(each) <= size(best) : best.computed);
    let found = undefined;
    for (const each of recordAt(at)?.fields ?? []) if (each.begin <= at && at < each.end && isNearer(each, found)) found = each;
    return found;
  }

  const damagedAt = (at) => state.ranges.some((each) => each.begin <= at && at < each.end);

  function fieldsOn(line) {
    const all = state.records.flatMap((record) => record.fields);
    const found = all.filter((each) => each.line > 0 && each.line <= line && line <= each.last && each.begin >= 0);
    const nearest = Math.max(...found.map((each) => each.line));
    return found.filter((each) => each.line === nearest);
  }

  /** The field of the attribute on a line that is on the screen, or the first one that is loaded. */
  function ofLine(line) {
    const hits = line ? fieldsOn(line) : [];
    return hits.find((each) => each.begin < state.view[1] && each.end > state.view[0]) ?? hits[0] ?? null;
  }

  const recordOf = (thing, at) => (thing?.fields ? thing : state.records.find((each) => each.fields.includes(thing)) ?? recordAt(at));

  return { recordAt, fieldAt, damagedAt, recordOf, ofLine };
}
