// Damaged JPIP queries, and windows of those that are still taken for sound, on one channel: nothing comes twice, nothing
// beyond its end, and never more than `len` allows.
import { Failure } from '../../src/domain/errors.ts';
import { MESSAGE_OVERHEAD_BYTES, planPortions, SentBins, type WantedBins } from '../../src/domain/jpip/ledger.ts';
import { isJpipQuery, type JpipRequest, parseJpipRequest } from '../../src/domain/jpip/request.ts';
import { indexJp2 } from '../../src/imaging/jp2/index-jp2.ts';
import type { Jp2Index } from '../../src/imaging/jp2/sidecar.ts';
import { binCount, headerBins, precinctBins } from '../../src/imaging/jpip/bins.ts';
import { resolveWindow } from '../../src/imaging/jpip/view-window.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { mutate } from './mutate.ts';
import { soundStreams } from './streams.ts';

const QUERIES = [
  '?cnew=http&type=jpp-stream&tid=0&len=512',
  '?stream=0&metareq=[*]!!&len=2000000&cid=X',
  '?stream=3&fsiz=512,512,closest&rsiz=513,513&roff=0,0&len=2097152&cid=X',
  '?cid=X&stream=0-9:3,12-&fsiz=64,64,round-up&layers=2',
  '?context=jpxl<2-5>;jpxl%3C7%3E&fsiz=100,75,round-down&roff=20,30&rsiz=40,40',
  '?cid=X&cclose=*,Y&len=0&target=AIA/2021/a.jp2',
].map((query) => new TextEncoder().encode(query));

const LONGEST_SENTENCE = 300;

/** The request; null when it is refused as it should be. */
function parsed(query: string): JpipRequest | null {
  try {
    return isJpipQuery(query) ? parseJpipRequest(query) : null;
  } catch (error) {
    const isRefusal = error instanceof Failure && error.kind === 'bad-parameter' && error.parameter !== undefined;
    if (!isRefusal || error.message.length > LONGEST_SENTENCE) throw error;
    return null;
  }
}

function wishOf(index: Jp2Index, { frameSize, regionOffset, regionSize }: JpipRequest): WantedBins | null {
  if (!frameSize) return null;
  const view = resolveWindow(index, { frameSize, regionOffset, regionSize });
  const bins = [...headerBins(index, view.window), ...precinctBins(index, view)];
  const lengths = Uint32Array.from(bins, ({ length }) => length);
  return { group: 1, binsInAll: binCount(index), bins: Uint32Array.from(bins, (bin) => bin.number), lengths, wanted: lengths };
}

/** Sends a wish in answers of `budget` bytes until it is done; each must go on where the one before ended. */
function sendAll(wish: WantedBins, sent: SentBins, budget: number): void {
  const most =
    wish.lengths.reduce((sum, length) => sum + length + MESSAGE_OVERHEAD_BYTES, 0) / (budget - MESSAGE_OVERHEAD_BYTES) + 2;
  if (new Set(wish.bins).size !== wish.bins.length) throw new Error('a bin is wanted twice');
  for (let answers = 0; ; answers++) {
    const before = [...wish.bins].map((bin) => (sent.has(bin) ? Number.POSITIVE_INFINITY : sent.sentBytes(bin)));
    const { portions, isWhole } = planPortions([wish], () => sent, budget);
    let bytes = 0;
    for (const { at, from, to } of portions) {
      if (from !== before[at] || to < from || to > (wish.lengths[at] as number))
        throw new Error(`bytes ${from} to ${to} of a bin`);
      before[at] = to;
      bytes += to - from + MESSAGE_OVERHEAD_BYTES;
    }
    if (bytes > budget) throw new Error(`${bytes} bytes for a budget of ${budget}`);
    if (isWhole) break;
    if (answers > 2 * most) throw new Error('answers without end');
  }
  for (const bin of wish.bins) if (!sent.has(bin)) throw new Error(`bin ${bin} was left out`);
  if (sent.completeCount > wish.binsInAll) throw new Error('more bins than there are');
}

export const jpipTarget: FuzzTarget = () => {
  const indexes = soundStreams().map((file) => indexJp2(file));
  return (random) => {
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const index = pick(indexes);
    const sent = new SentBins();
    for (let i = 0; i < 20; i++) {
      const bytes = random() < 0.3 ? pick(QUERIES) : mutate(pick(QUERIES), pick(QUERIES), random);
      const request = parsed(new TextDecoder('latin1').decode(bytes));
      const wish = request && wishOf(index, request);
      if (wish) sendAll(wish, sent, 2 * MESSAGE_OVERHEAD_BYTES + Math.floor(random() * 10_000));
    }
  };
};
