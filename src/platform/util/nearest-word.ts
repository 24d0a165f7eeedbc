/** Longest word that is compared, because the distance takes time in the square of the length. */
const MAX_CHARACTERS = 64;

/** Optimal string alignment distance: insertions, deletions, substitutions and exchanges of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const isExchanged = i > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const exchanged = isExchanged ? before[j - 1]! + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1), exchanged));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}

/** Distance up to which a word of this length counts as misspelled: short words differ too little from each other. */
const tolerance = (length: number): number => Math.floor(length / 4);

/** The first of the nearest words by edit distance, letter case ignored; null when each is farther away than a quarter of its length. */
export function nearestWord(given: string, words: Iterable<string>): string | null {
  if (given.length === 0 || given.length > MAX_CHARACTERS) return null;
  const lower = given.toLowerCase();
  let nearest: { readonly word: string; readonly distance: number } | null = null;
  for (const word of words) {
    if (Math.abs(word.length - given.length) > tolerance(word.length)) continue;
    const distance = editDistance(lower, word.toLowerCase());
    if (distance <= tolerance(word.length) && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
      nearest = { word, distance };
  }
  return nearest?.word ?? null;
}
