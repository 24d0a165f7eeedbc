// Fuzzes the deflate of the core: bytes of noise, of few values, of runs and of repeats, in one part or in several, as zlib restores them.
import { inflateRawSync } from 'node:zlib';
import { deflated } from '../../support/imaging/deflated.ts';
import type { FuzzTarget } from '../fuzzer.ts';

const MOST_BYTES = 1 << 16;
const MOST_PARTS = 4;
export const deflateTarget: FuzzTarget = () => (random, onInput) => {
  const below = (count: number) => Math.floor(random() * count);
  const bytes = new Uint8Array(1 + below(2 ** (1 + below(Math.log2(MOST_BYTES)))));
  for (let at = 0; at < bytes.length; ) {
    const [end, values, first, distance] = [at + 1 + below(2 ** below(12)), 2 ** below(9), below(256), 1 + below(40_000)];
    const isRepeat = random() < 0.3;
    for (; at < Math.min(end, bytes.length); at++) bytes[at] = isRepeat ? (bytes[at - distance] ?? 0) : first + below(values);
    at = end;
  }
  onInput(bytes);
  const cuts = Array.from({ length: below(MOST_PARTS) }, () => below(bytes.length)).sort((a, b) => a - b);
  const parts = [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length)).filter(({ length }) => length > 0);
  const restored = inflateRawSync(deflated(parts));
  if (Buffer.compare(restored, bytes) !== 0)
    throw new Error(`Expected ${bytes.length} bytes back, got ${restored.length} others.`);
};
