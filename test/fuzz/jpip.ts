// Fuzzes JPIP with damaged queries on one channel: responses to those that parse never repeat a byte, exceed a bin, or exceed the
// budget.
import { binCount, headerBins, precinctBins, resolveWindow } from '../../src/jp2/jpip/bins.ts';
import type { RequestedBins, StreamRange } from '../../src/jp2/jpip/cache-model.ts';
import { CacheModel, existingCodestreams, MESSAGE_OVERHEAD_BYTES, planMessages } from '../../src/jp2/jpip/cache-model.ts';
import { isJpipQuery, type JpipRequest, parseJpipRequest } from '../../src/jp2/jpip/request.ts';
import { indexJp2, type Jp2Index } from '../../src/jp2/sidecar.ts';
import { Failure } from '../../src/platform/util/errors.ts';
import type { FuzzReplay, FuzzTarget } from './fuzzer.ts';
import { damagedOf, pick } from './mutate.ts';
import { validStreams } from './streams.ts';

/** Valid queries. */
export const QUERIES = [
  '?cnew=http&type=jpp-stream&tid=0&len=512',
  '?stream=0&metareq=[*]!!&len=2000000&cid=X',
  '?stream=3&fsiz=512,512,closest&rsiz=513,513&roff=0,0&len=2097152&cid=X',
  '?cid=X&stream=0-9:3,12-&fsiz=64,64,round-up&layers=2',
  '?context=jpxl<2-5>;jpxl%3C7%3E&fsiz=100,75,round-down&roff=20,30&rsiz=40,40',
  '?cid=X&cclose=*,Y&len=0&target=AIA/2021/a.jp2',
  '?cid=X&qid=7&fsiz=64,64&model=Hm,[0;2-3]P*:20,-M0,H1,-t0c0r1p2-3:L2',
  '?cnew=http&type=jpp-stream&stream=4096&layers=0&model=[3]Hm,[3]H0,[4]P17:99,M0',
  '?cid=X&stream=0,2,4-4095:7,9-&fsiz=1,1,closest&model=[0-;3-9:2]Hm,H*',
].map((query) => new TextEncoder().encode(query));

const MAX_SENTENCE_LENGTH = 300;
/** Ranges up to which the codestreams are compared with a slower search. */
const MOST_CHECKED_RANGES = 20;

/** The request; null if it is rejected with a proper error. */
function parsed(query: string): JpipRequest | null {
  try {
    return isJpipQuery(query) ? parseJpipRequest(query) : null;
  } catch (error) {
    const isProper = error instanceof Failure && error.kind === 'bad-parameter' && error.parameter !== undefined;
    if (!isProper || error.message.length > MAX_SENTENCE_LENGTH) throw error;
    return null;
  }
}

/** Codestreams of targets of several sizes: each exists, is named by a range, and comes once; none is left out. */
function checkCodestreams(ranges: readonly StreamRange[]): void {
  const isNamed = (n: number) =>
    ranges.some(({ from, to, step }) => n >= from && n <= (to ?? Number.POSITIVE_INFINITY) && (n - from) % step === 0);
  for (const total of [1, 7, 300]) {
    const found = new Set(existingCodestreams(ranges, total));
    const isRight = Array.from({ length: total }, (_, n) => found.has(n) === isNamed(n)).every(Boolean);
    if (!isRight || found.size !== existingCodestreams(ranges, total).length || [...found].some((n) => n >= total))
      throw new Error(`codestreams of ${JSON.stringify(ranges)} in ${total}`);
  }
}

function checkStreams({ streams, model }: JpipRequest): void {
  for (const ranges of new Set([streams, ...model.flatMap(({ codestreams }) => (codestreams ? [codestreams] : []))]))
    if (ranges.length <= MOST_CHECKED_RANGES) checkCodestreams(ranges);
}

function requestedBins(index: Jp2Index, { frameSize, regionOffset, regionSize }: JpipRequest): RequestedBins | null {
  if (!frameSize) return null;
  const view = resolveWindow(index, { frameSize, regionOffset, regionSize });
  const bins = [...headerBins(index, view.window), ...precinctBins(index, view)];
  const lengths = Uint32Array.from(bins, ({ length }) => length);
  return {
    group: 1,
    binsInGroup: binCount(index),
    bins: Uint32Array.from(bins, (bin) => bin.number),
    lengths,
    requestedBytes: lengths,
  };
}

/** Sends the requested bins in responses of `budget` bytes. Each response must continue where the previous one ended. */
function sendAll(requested: RequestedBins, model: CacheModel, budget: number): void {
  const expectedResponses =
    requested.lengths.reduce((sum, length) => sum + length + MESSAGE_OVERHEAD_BYTES, 0) / (budget - MESSAGE_OVERHEAD_BYTES) + 2;
  if (new Set(requested.bins).size !== requested.bins.length) throw new Error('a bin is requested twice');
  for (let responses = 0; ; responses++) {
    const before = [...requested.bins].map((bin) => (model.isComplete(bin) ? Number.POSITIVE_INFINITY : model.partialBytes(bin)));
    const { messages, isComplete } = planMessages([requested], () => model, {
      bytes: budget,
      messages: Number.POSITIVE_INFINITY,
    });
    let bytes = 0;
    for (const { binIndex, from, to } of messages) {
      if (from !== before[binIndex] || to < from || to > (requested.lengths[binIndex] as number))
        throw new Error(`bytes ${from} to ${to} of a bin`);
      before[binIndex] = to;
      bytes += to - from + MESSAGE_OVERHEAD_BYTES;
    }
    if (bytes > budget) throw new Error(`${bytes} bytes for a budget of ${budget}`);
    if (isComplete) break;
    if (responses > 2 * expectedResponses) throw new Error('too many responses');
  }
  for (const bin of requested.bins) if (!model.isComplete(bin)) throw new Error(`bin ${bin} was not sent`);
  if (model.completeCount > requested.binsInGroup) throw new Error('more complete bins than the group has');
}

export const jpipReplay: FuzzReplay = () => {
  const index = indexJp2(validStreams()[0]!);
  return (input) => {
    const request = parsed(new TextDecoder('latin1').decode(input));
    if (request) checkStreams(request);
    const requested = request && requestedBins(index, request);
    if (requested) sendAll(requested, new CacheModel(), 5_000);
  };
};

export const jpipTarget: FuzzTarget = () => {
  const indexes = validStreams().map((file) => indexJp2(file));
  return (random, onInput) => {
    const index = pick(random, indexes);
    const model = new CacheModel();
    for (let i = 0; i < 20; i++) {
      const bytes = random() < 0.3 ? pick(random, QUERIES) : damagedOf(random, QUERIES);
      onInput(bytes);
      const request = parsed(new TextDecoder('latin1').decode(bytes));
      if (request) checkStreams(request);
      const requested = request && requestedBins(index, request);
      if (requested) sendAll(requested, model, 2 * MESSAGE_OVERHEAD_BYTES + Math.floor(random() * 10_000));
    }
  };
};
