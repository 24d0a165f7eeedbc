// The response to a JPIP request: the requested data-bins that the client lacks, as JPP-stream messages.
//
// The channel's Durable Object plans the messages; the Worker reads and sends them. Planning takes a few kilobytes in one call,
// sidecars stay shared by all channels of the isolate, and image bytes go from R2 to the client without a detour.

import { JPIP } from '../../config/limits/jpx.ts';
import { JOB_BYTES } from '../../config/limits/memory.ts';
import { Failure } from '../../domain/errors.ts';
import { CacheModel, type PlannedMessage, planMessages } from '../../domain/jpip/cache-model.ts';
import { binsOfMessages } from '../../domain/jpip/repeated-windows.ts';
import { type JpipRequest, windowText } from '../../domain/jpip/request.ts';
import { sliceSources } from '../../imaging/byte-source.ts';
import { END, END_BYTES, endOfResponse, messageHeader, startOfResponse } from '../../imaging/jpip/messages.ts';
import type { ChannelPlan, JpipChannels } from '../../ports/jpip.ts';
import { concatenated } from '../../util/bytes.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { withMemory } from '../memory-room.ts';
import { readSources } from './read-sources.ts';
import { type RequestedBin, type RequestedBinsPorts, type RequestedGroup, requestedBins } from './requested-bins.ts';
import type { JpipTarget } from './target.ts';

export interface JpipPorts extends RequestedBinsPorts {
  readonly channels: JpipChannels;
  readonly memory: MemoryBudget;
}

export interface JpipResponse {
  /** Id of the channel that the request opened, or null. */
  readonly opened: string | null;
  /** JPP-stream. */
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
}

const NOTHING = new Uint8Array(0);
const otherTarget = (name: string) =>
  new Failure('bad-parameter', `Expected a channel of this target for ${name}, got one of another.`, { parameter: name });

const newChannelId = (): string => crypto.randomUUID().replaceAll('-', '');

const binOf = (groups: readonly RequestedGroup[], { groupIndex, binIndex }: PlannedMessage): RequestedBin =>
  groups[groupIndex]?.bins[binIndex] as RequestedBin;

const lengthOf = ({ from, to }: PlannedMessage): number => to - from;

/** Consecutive messages with about `JPIP.batchBytes` of data each. */
function* batches(messages: readonly PlannedMessage[]): Generator<readonly PlannedMessage[]> {
  for (let from = 0, to = 0; from < messages.length; from = to) {
    for (let bytes = 0; to < messages.length && bytes < JPIP.batchBytes; to++) bytes += lengthOf(messages[to] as PlannedMessage);
    yield messages.slice(from, to);
  }
}

/** The encoded messages batch by batch; the last batch ends with the end-of-response message. */
async function* encodedBatches(
  { objects }: Pick<JpipPorts, 'objects'>,
  groups: readonly RequestedGroup[],
  messages: readonly PlannedMessage[],
  reason: number,
): AsyncGenerator<Uint8Array> {
  const context = startOfResponse();
  let pending: Uint8Array[] = [];
  for (const batch of batches(messages)) {
    if (pending.length > 0) yield concatenated(pending);
    const data = await readSources(
      objects,
      batch.map((message) => sliceSources(binOf(groups, message).sources(), message.from, message.to)),
    );
    pending = batch.flatMap((message, i) => {
      const { binClass, codestream, id, length } = binOf(groups, message);
      const { from: offset, to } = message;
      const header = { binClass, codestream, id, offset, length: to - offset, isLast: to === length };
      return [messageHeader(header, context), ...(data[i] as Uint8Array[])];
    });
  }
  yield concatenated([...pending, endOfResponse(reason)]);
}

/** A stream of `first` and the rest. `undo` runs once when the stream is cancelled or fails. */
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

/** One request on a channel, or a stateless one where `channel` is null. */
class Responder {
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

  async #plan(groups: readonly RequestedGroup[], budget: number): Promise<ChannelPlan> {
    const requested = groups.map((group) => group.requested);
    if (this.#channel === null) return { ...planMessages(requested, () => new CacheModel(), budget), completeGroups: 0 };
    const { name, tid } = this.#target;
    const request = { window: windowText(this.#request), requested, budget };
    const plan = await this.#ports.channels.plan(this.#channel, { name, tid }, request);
    if (!plan) throw otherTarget('cid');
    return plan;
  }

  /** Subtracts the whole response from the cache model. Resending what did arrive is harmless. */
  async #subtract(groups: readonly RequestedGroup[], messages: readonly PlannedMessage[]): Promise<void> {
    if (this.#channel === null) return;
    const requested = groups.map((group) => group.requested);
    await this.#ports.channels.subtract(this.#channel, binsOfMessages(messages, requested));
  }

  #reason({ isComplete, completeGroups }: ChannelPlan): number {
    const { length } = this.#request;
    if (!isComplete) return length !== null && length <= JPIP.responseBytes ? END.byteLimit : END.responseLimit;
    return completeGroups === 1 + this.#target.keys.length ? END.imageDone : END.windowDone;
  }

  async body(): Promise<JpipResponse['body']> {
    const groups = await requestedBins(this.#ports, this.#target, this.#request);
    const budget = Math.min(this.#request.length ?? JPIP.responseBytes, JPIP.responseBytes) - END_BYTES;
    if (budget < 0) return NOTHING;
    const plan = await this.#plan(groups, budget);
    const undo = () => this.#subtract(groups, plan.messages);
    const encoded = encodedBatches(this.#ports, groups, plan.messages, this.#reason(plan));
    try {
      const first = (await encoded.next()).value as Uint8Array;
      const bytes = plan.messages.reduce((sum, message) => sum + lengthOf(message), 0);
      return bytes < JPIP.batchBytes ? first : streamOf(first, encoded, undo);
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

/**
 * Serves a JPIP request for `target`.
 *
 * @throws Failure (bad-parameter) for a channel of another target or a codestream that the target does not have; (busy)
 */
export async function serveJpip(ports: JpipPorts, target: JpipTarget, request: JpipRequest): Promise<JpipResponse> {
  if (request.cclose.length > 0) {
    await closeChannels(ports.channels, request, target);
    return { opened: null, body: NOTHING };
  }
  const opened = request.cnew ? newChannelId() : null;
  const responder = new Responder(ports, target, request, opened ?? request.cid);
  return { opened, body: await withMemory(ports.memory, JOB_BYTES.jpip, () => responder.body()) };
}
