// Tables of colours: R, G and B of each of 256 levels.

/** Level i is the grey i, i, i. */
export const GREY_PALETTE = Uint8Array.from({ length: 256 * 3 }, (_, i) => Math.floor(i / 3));

/** A table in which each level has the colours at another place, from 0 to 255, linear between neighbouring colours. */
export function spreadColours(table: Uint8Array, placeOf: (level: number) => number): Uint8Array {
  const spread = new Uint8Array(table.length);
  const last = table.length / 3 - 1;
  for (let level = 0; level <= last; level += 1) {
    const place = Math.min(placeOf(level), last);
    const below = Math.min(Math.floor(place), Math.max(last - 1, 0));
    const above = Math.min(below + 1, last);
    for (let channel = 0; channel < 3; channel += 1) {
      const [from, to] = [table[3 * below + channel]!, table[3 * above + channel]!];
      spread[3 * level + channel] = Math.round(from + (to - from) * (place - below));
    }
  }
  return spread;
}
