/** All parts in one piece. Empties the list as it goes, so that a part can be freed once it is copied. */
export function drainParts(parts: Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = joined.length;
  for (let part = parts.pop(); part; part = parts.pop()) {
    at -= part.length;
    joined.set(part, at);
  }
  return joined;
}
