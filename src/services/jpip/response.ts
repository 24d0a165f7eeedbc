// The response to a JPIP request: the requested data-bins that the client lacks, as JPP-stream messages.
//
// The channel's Durable Object plans the messages; the Worker reads and sends them. Planning takes a few kilobytes in one call,
// sidecars stay shared by all channels of the isolate, and image bytes go from R2 to the client without a detour.

import { JPIP } from '../../config/limits/jpx.ts';
import { JOB_BYTES } from '../../config/limits/memory.ts';
import { Failure } from '../../domain/errors.ts';
import { CacheModel, type PlannedMessage, planMessages } from '../../domain/jpip/cache-model.ts';
import type { ChannelPlan } from '../../domain/jpip/channel.ts';
import { applyStatement, type ModelStatement } from '../../domain/jpip/model-statements.ts';
import { type JpipRequest, windowText } from '../../domain/jpip/request.ts';
import { sliceSources } from '../../imaging/byte-source.ts';
import { END, END_BYTES, endOfResponse, messageHeader, startOfResponse } from '../../imaging/jpip/messages.ts';
import type { JpipChannels } from '../../ports/jpip.ts';
import { concatenated } from '../../util/bytes.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { withMemory } from '../memory-room.ts';
import { readSources } from './read-sources.ts';
import { type RequestedBin, type RequestedBinsPorts, type RequestedGroup, requestedBins } from './requested-bins.ts';
import { modelStatements } from './stated-bins.ts';
import type { JpipTarget } from './target.ts';

export interface JpipPorts extends RequestedBinsPorts {
  readonly channels: JpipChannels;
  readonly memory: MemoryBudget;
}

/** Keeps work alive after the response is sent. */
export type WaitUntil = (work: Promise<unknown>) => void;

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

/** The encoded messages batch by batch; the last batch ends with the end-of-response message. `onLast` runs before the last one. */
async function* encodedBatches(
  { objects }: Pick<JpipPorts, 'objects'>,
  groups: readonly RequestedGroup[],
  messages: readonly PlannedMessage[],
  reason: number,
  onLast: () => Promise<void>,
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
  await onLast();
  yield concatenated([...pending, endOfResponse(reason)]);
}

function streamOf(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  let isFirst = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (isFirst) {
          isFirst = false;
          controller.enqueue(first);
          return;
        }
        const { value, done } = await rest.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await rest.return(undefined);
      },
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
  readonly #waitUntil: WaitUntil;
  readonly #id = crypto.randomUUID();

  constructor(ports: JpipPorts, target: JpipTarget, request: JpipRequest, channel: string | null, waitUntil: WaitUntil) {
    this.#ports = ports;
    this.#target = target;
    this.#request = request;
    this.#channel = channel;
    this.#waitUntil = waitUntil;
  }

  async #plan(groups: readonly RequestedGroup[], statements: readonly ModelStatement[], budget: number): Promise<ChannelPlan> {
    const requested = groups.map((group) => group.requested);
    if (this.#channel === null) return { ...planMessages(requested, stated(statements), budget), completeGroups: 0 };
    const { name, tid } = this.#target;
    const { requestId } = this.#request;
    const request = { response: this.#id, window: windowText(this.#request), requestId, statements, requested, budget };
    const plan = await this.#ports.channels.plan(this.#channel, { name, tid }, request);
    if (!plan) throw otherTarget('cid');
    return plan;
  }

  /**
   * Reports the response as delivered. Before the end of an incomplete one it waits, because the same request then asks for the rest.
   * After a failed report the bins are sent again.
   */
  async #delivered(isComplete: boolean): Promise<void> {
    if (this.#channel === null) return;
    const reported = this.#ports.channels.delivered(this.#channel, this.#id).catch(() => undefined);
    this.#waitUntil(reported);
    if (!isComplete) await reported;
  }

  #reason({ isComplete, completeGroups }: ChannelPlan): number {
    const { length } = this.#request;
    if (!isComplete) return length !== null && length <= JPIP.responseBytes ? END.byteLimit : END.responseLimit;
    return completeGroups === 1 + this.#target.keys.length ? END.imageDone : END.windowDone;
  }

  async body(): Promise<JpipResponse['body']> {
    const groups = await requestedBins(this.#ports, this.#target, this.#request);
    const statements = await modelStatements(this.#ports, this.#target, this.#request);
    const budget = Math.min(this.#request.length ?? JPIP.responseBytes, JPIP.responseBytes) - END_BYTES;
    if (budget < 0) return NOTHING;
    const plan = await this.#plan(groups, statements, budget);
    const onLast = () => this.#delivered(plan.isComplete);
    const encoded = encodedBatches(this.#ports, groups, plan.messages, this.#reason(plan), onLast);
    const first = (await encoded.next()).value as Uint8Array;
    const bytes = plan.messages.reduce((sum, message) => sum + lengthOf(message), 0);
    return bytes < JPIP.batchBytes ? first : streamOf(first, encoded);
  }
}

/** Cache models of a client without a channel: what it stated. */
function stated(statements: readonly ModelStatement[]): (group: number) => CacheModel {
  const models = new Map<number, CacheModel>();
  const modelOf = (group: number): CacheModel => {
    const model = models.get(group) ?? new CacheModel();
    models.set(group, model);
    return model;
  };
  for (const statement of statements) applyStatement(modelOf(statement.group), statement);
  return modelOf;
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
export async function serveJpip(
  ports: JpipPorts,
  target: JpipTarget,
  request: JpipRequest,
  waitUntil: WaitUntil,
): Promise<JpipResponse> {
  if (request.cclose.length > 0) {
    await closeChannels(ports.channels, request, target);
    return { opened: null, body: NOTHING };
  }
  const opened = request.cnew ? newChannelId() : null;
  const responder = new Responder(ports, target, request, opened ?? request.cid, waitUntil);
  return { opened, body: await withMemory(ports.memory, JOB_BYTES.jpip, () => responder.body()) };
}
