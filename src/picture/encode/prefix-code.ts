// Canonical prefix codes of bounded length (Huffman), as JPEG and lossless WebP use them.

/** Code lengths by Huffman's method with two queues. `order`: symbols with non-zero counts, rarest first. */
function huffmanLengths(counts: Float64Array, order: readonly number[]): Uint8Array {
  const leaves = order.length;
  const weights = new Float64Array(2 * leaves - 1);
  const parents = new Int32Array(2 * leaves - 1);
  for (let i = 0; i < leaves; i++) weights[i] = counts[order[i]!] as number;
  let leaf = 0;
  let inner = leaves;
  for (let node = leaves; node < weights.length; node++)
    for (let child = 0; child < 2; child++) {
      const fromLeaves = leaf < leaves && (inner >= node || weights[leaf]! <= weights[inner]!);
      const taken = fromLeaves ? leaf++ : inner++;
      weights[node] = weights[node]! + weights[taken]!;
      parents[taken] = node;
    }
  const depths = new Uint8Array(weights.length);
  for (let node = weights.length - 2; node >= 0; node--) depths[node] = (depths[parents[node]!] as number) + 1;
  return depths.subarray(0, leaves);
}

/** Code lengths, 0 for absent symbols, 1 for a single one. Counts of rare symbols are raised while a length exceeds `longest`. */
export function codeLengths(counts: ArrayLike<number>, longest: number): Uint8Array {
  const lengths = new Uint8Array(counts.length);
  const raised = Float64Array.from(counts);
  const used: number[] = [];
  raised.forEach((count, symbol) => {
    if (count > 0) used.push(symbol);
  });
  if (used.length === 1) lengths[used[0]!] = 1;
  if (used.length < 2) return lengths;
  for (let least = 1; ; least *= 2) {
    for (const symbol of used) raised[symbol] = Math.max(counts[symbol]!, least);
    // Among equal counts later symbols come first, so that the last of the rarest symbols gets one of the longest codes.
    const order = used.toSorted((a, b) => raised[a]! - raised[b]! || b - a);
    const depths = huffmanLengths(raised, order);
    if (depths.every((depth) => depth <= longest)) {
      for (let i = 0; i < order.length; i++) lengths[order[i]!] = depths[i]!;
      return lengths;
    }
  }
}

/** Canonical codes of `lengths`: shorter codes first, equal lengths in symbol order. */
export function canonicalCodes(lengths: Uint8Array): Uint16Array {
  const codes = new Uint16Array(lengths.length);
  const longest = lengths.reduce((a, b) => Math.max(a, b), 0);
  let code = 0;
  for (let length = 1; length <= longest; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) if (lengths[symbol] === length) codes[symbol] = code++;
    code *= 2;
  }
  return codes;
}
