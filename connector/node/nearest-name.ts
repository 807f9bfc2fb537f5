/**
 * The name of `known` that `word` probably means: at most two letters are wrong, missing, added or swapped, or one in a
 * name of three to five. Case, white space and `_`, `-` and `.` do not count. Undefined if nothing resembles it.
 */
export function nearestName(word: string, known: readonly string[]): string | undefined {
  const near = known.flatMap((name) => {
    const letters = lettersOf(name);
    const edits = editsBetween(lettersOf(word), letters, Math.min(2, Math.floor(letters.length / 3)));
    return edits < Infinity ? [{ name, edits }] : [];
  });
  return near.sort((one, other) => one.edits - other.edits)[0]?.name;
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[\s_.-]/g, "");

/** How many edits make one text of the other, a swap of two neighbours being one; Infinity if it is more than `most`. */
function editsBetween(one: string, other: string, most: number): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const [from, to] = [one.slice(same), other.slice(same)];
  if (from === to) return 0;
  if (most === 0) return Infinity;
  const after = (ofFrom: number, ofTo: number): number =>
    1 + editsBetween(from.slice(ofFrom), to.slice(ofTo), most - 1);
  const isSwap = from[0] === to[1] && from[1] === to[0];
  return Math.min(after(1, 0), after(0, 1), after(1, 1), isSwap ? after(2, 2) : Infinity);
}
