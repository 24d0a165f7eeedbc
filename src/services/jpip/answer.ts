// The answer to a JPIP request: a wish, what of it the channel still lacks, and those bytes as messages.
//
// The Durable Object of the channel plans and the Worker reads and sends. Planning takes a few kilobytes in one call;
// sidecars stay shared by all channels of the isolate, and the bytes of images go from R2 to the client without a detour.

import { JPIP } from '../../config/limits/jpx.ts';
import { Failure } from '../../domain/errors.ts';
import { type ForgottenBin, type Portion, planPortions, SentBins } from '../../domain/jpip/ledger.ts';
import type { JpipRequest } from '../../domain/jpip/request.ts';
import { END, END_BYTES, endOfResponse, messageHead, startOfResponse } from '../../imaging/jpip/messages.ts';
import type { ChannelPlan, JpipChannels } from '../../ports/jpip.ts';
import { concatenated } from '../../util/concatenated.ts';
import { cut, readPieces } from './pieces.ts';
import type { JpipTarget } from './target.ts';
import { type WishedBin, type WishedGroup, type WishPorts, wishOf } from './wish.ts';

export interface JpipPorts extends WishPorts {
  readonly channels: JpipChannels;
}

export interface JpipAnswer {
  /** The channel that was opened; null where none was. */
  readonly opened: string | null;
  /** JPP-stream. */
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
}

const NOTHING = new Uint8Array(0);
const otherTarget = (name: string) =>
  new Failure('bad-parameter', `Expected a channel of this target for ${name}, got one of another.`, { parameter: name });

const newChannelId = (): string => crypto.randomUUID().replaceAll('-', '');

const binOf = (groups: readonly WishedGroup[], { groupAt, at }: Portion): WishedBin => groups[groupAt]?.bins[at] as WishedBin;

/** Portions in turns of about so many bytes. */
function* turnsOf(portions: readonly Portion[]): Generator<readonly Portion[]> {
  for (let from = 0, to = 0; from < portions.length; from = to) {
    for (let bytes = 0; to < portions.length && bytes < JPIP.turnBytes; to++) {
      const { from: first, to: end } = portions[to] as Portion;
      bytes += end - first;
    }
    yield portions.slice(from, to);
  }
}

/** The messages of a plan, as many at a time as a turn has. */
async function* messages(
  { objects }: Pick<JpipPorts, 'objects'>,
  groups: readonly WishedGroup[],
  portions: readonly Portion[],
  reason: number,
): AsyncGenerator<Uint8Array> {
  const context = startOfResponse();
  let pending: Uint8Array[] = [];
  for (const turn of turnsOf(portions)) {
    if (pending.length > 0) yield concatenated(pending);
    const pieces = turn.map((portion) => cut(binOf(groups, portion).pieces(), portion.from, portion.to));
    const data = await readPieces(objects, pieces);
    pending = turn.flatMap((portion, i) => {
      const { binClass, codestream, id, length } = binOf(groups, portion);
      const { from: offset, to } = portion;
      const head = { binClass, codestream, id, offset, length: to - offset, isLast: to === length };
      return [messageHead(head, context), ...(data[i] as Uint8Array[])];
    });
  }
  yield concatenated([...pending, endOfResponse(reason)]);
}

/** A stream whose first part is at hand. `undo` is called once when not everything could be given to the client. */
function streamOf(first: Uint8Array, rest: AsyncGenerator<Uint8Array>, undo: () => Promise<void>): ReadableStream<Uint8Array> {
  let isFirst = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (isFirst) {
          isFirst = false;
          controller.enqueue(first);
          return;
        }
        try {
          const { value, done } = await rest.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          await undo();
          controller.error(error);
        }
      },
      cancel: undo,
    },
    { highWaterMark: 0 },
  );
}

/** One request on a channel, or on its own where there is none. */
class Answering {
  readonly #ports: JpipPorts;
  readonly #target: JpipTarget;
  readonly #request: JpipRequest;
  readonly #channel: string | null;

  constructor(ports: JpipPorts, target: JpipTarget, request: JpipRequest, channel: string | null) {
    this.#ports = ports;
    this.#target = target;
    this.#request = request;
    this.#channel = channel;
  }

  async #plan(groups: readonly WishedGroup[], budget: number): Promise<ChannelPlan> {
    const wish = groups.map(({ wanted }) => wanted);
    if (this.#channel === null) {
      const plan = planPortions(wish, () => new SentBins(), budget);
      return { ...plan, wholeGroups: 0 };
    }
    const { name, tid } = this.#target;
    const plan = await this.#ports.channels.plan(this.#channel, { name, tid }, wish, budget);
    if (!plan) throw otherTarget('cid');
    return plan;
  }

  /** Everything of the answer counts as not sent: what the client has of it may come once more, which is harmless. */
  async #forget(groups: readonly WishedGroup[], portions: readonly Portion[]): Promise<void> {
    if (this.#channel === null) return;
    const forgotten = portions.map(({ groupAt, at, from }): ForgottenBin => {
      const { group, bins } = (groups[groupAt] as WishedGroup).wanted;
      return { group, bin: bins[at] as number, from };
    });
    await this.#ports.channels.forget(this.#channel, forgotten);
  }

  #reason({ isWhole, wholeGroups }: ChannelPlan): number {
    const { length } = this.#request;
    if (!isWhole) return length !== null && length <= JPIP.responseBytes ? END.byteLimit : END.responseLimit;
    return wholeGroups === 1 + this.#target.keys.length ? END.imageDone : END.windowDone;
  }

  async body(): Promise<JpipAnswer['body']> {
    const groups = await wishOf(this.#ports, this.#target, this.#request);
    const budget = Math.min(this.#request.length ?? JPIP.responseBytes, JPIP.responseBytes) - END_BYTES;
    if (budget < 0) return NOTHING;
    const plan = await this.#plan(groups, budget);
    const undo = () => this.#forget(groups, plan.portions);
    const parts = messages(this.#ports, groups, plan.portions, this.#reason(plan));
    try {
      const first = (await parts.next()).value as Uint8Array;
      const isAll = plan.portions.reduce((sum, { from, to }) => sum + to - from, 0) < JPIP.turnBytes;
      return isAll ? first : streamOf(first, parts, undo);
    } catch (error) {
      await undo();
      throw error;
    }
  }
}

async function closeChannels(channels: JpipChannels, { cclose, cid }: JpipRequest, target: JpipTarget): Promise<void> {
  for (const id of new Set(cclose.map((named) => (named === '*' ? cid : named))))
    if (id !== null && !(await channels.close(id, target.name))) throw otherTarget('cclose');
}

/** @throws Failure for a channel of another target or a codestream that is not there */
export async function answerJpip(ports: JpipPorts, target: JpipTarget, request: JpipRequest): Promise<JpipAnswer> {
  if (request.cclose.length > 0) {
    await closeChannels(ports.channels, request, target);
    return { opened: null, body: NOTHING };
  }
  const opened = request.cnew ? newChannelId() : null;
  return { opened, body: await new Answering(ports, target, request, opened ?? request.cid).body() };
}
