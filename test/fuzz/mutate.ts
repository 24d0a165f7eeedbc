// Random damage to bytes: flipped bits, edge values, moved, removed, inserted and truncated data.

export type Random = () => number;

export const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

/** One of the inputs with damages, which may be bytes of another one. */
export const damagedOf = (random: Random, inputs: readonly Uint8Array[]): Uint8Array =>
  mutate(pick(random, inputs), pick(random, inputs), random);

/** Edge values of length and count fields. */
const EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

/** Size of the headers of codestreams and sidecars, which receive half of all damage. */
const HEAD_BYTES = 160;

/** Sets Psot of the first tile-part to 0 (up to the end of the codestream), so that a damaged length does not hide later damage. */
export function openTilePart(stream: Uint8Array): Uint8Array {
  const copy = Buffer.from(stream);
  const at = copy.indexOf(Buffer.from([0xff, 0x90, 0, 10]));
  if (at >= 0 && at + 10 <= copy.length) copy.writeUInt32BE(0, at + 6);
  return new Uint8Array(copy);
}

/** A copy of `bytes` with one to four random damages. Spliced bytes come from `other`. */
export function mutate(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const below = (count: number): number => Math.floor(random() * count);
  const place = (length: number): number => below(random() < 0.5 ? Math.min(length, HEAD_BYTES) : length);
  let result = Buffer.from(bytes);
  const damages: readonly (() => void)[] = [
    () => {
      const at = place(result.length);
      result[at] = (result[at] as number) ^ (1 << below(8));
    },
    () => {
      result[place(result.length)] = EDGES[below(6)] as number;
    },
    () => {
      const at = place(result.length - 3);
      const value = EDGES[below(EDGES.length)] as number;
      if (value <= 0xffff && random() < 0.6) result.writeUInt16BE(value, at);
      else result.writeUInt32BE(value, at);
    },
    () => {
      result.writeUInt16BE(below(0x10000), place(result.length - 1));
    },
    () => {
      const from = below(other.length);
      other.subarray(from, from + 1 + below(64)).forEach((byte, i) => {
        if (i < result.length) result[(from + i) % result.length] = byte;
      });
    },
    () => {
      const [from, to, count] = [below(result.length), below(result.length), 1 + below(200)];
      result.copy(result, to, from, from + count);
    },
    () => {
      result = result.subarray(0, 8 + below(result.length));
    },
    () => {
      const at = place(result.length);
      result = Buffer.concat([result.subarray(0, at), result.subarray(at + 1 + below(16))]);
    },
    () => {
      const at = place(result.length);
      result = Buffer.concat([result.subarray(0, at), Buffer.from([below(256), below(256)]), result.subarray(at)]);
    },
    () => {
      const at = below(result.length);
      for (let i = at; i < Math.min(result.length, at + 64); i++) result[i] = below(256);
    },
  ];
  for (let left = 1 + below(4); left > 0 && result.length > 8; left--) (damages[below(damages.length)] as () => void)();
  return new Uint8Array(result);
}
