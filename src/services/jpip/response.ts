// The response to a JPIP request: the requested data-bins that the client lacks, as JPP-stream messages.
//
// The channel's Durable Object plans the messages; the Worker reads and sends them. Planning takes a few kilobytes in one call,
// sidecars stay shared by all channels of the isolate, and image bytes go from R2 to the client without a detour.

import { JPIP } from '../../config/limits/jpx.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
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
import type { ChannelIds } from './channel-ids.ts';
import { readSources } from './read-sources.ts';
import {
  modelStatements,
  type RequestedBin,
  type RequestedBinsPorts,
  type RequestedGroup,
  requestedBins,
} from './requested-bins.ts';
import type { JpipTarget, JpipTargets } from './target.ts';

export interface JpipPorts extends RequestedBinsPorts {
  readonly channels: JpipChannels;
  readonly memory: MemoryBudget;
}

export interface JpipServices extends JpipPorts {
  readonly targets: JpipTargets;
  readonly channelIds: ChannelIds;
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
  new Failure('bad-parameter', `The channel of ${name} belongs to another target.`, { parameter: name });

const unknownChannel = (id: string) =>
  new Failure('unknown-id', `No channel has the id ${id}. The parameter cnew opens one.`, { parameter: 'cid' });

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

/** A request on a channel, or a stateless one where `channel` is null, and the response to it. */
interface Exchange {
  readonly ports: JpipPorts;
  readonly target: JpipTarget;
  readonly request: JpipRequest;
  readonly channel: string | null;
  /** Identifies the response until it is delivered. */
  readonly response: string;
  readonly waitUntil: WaitUntil;
}

/** The messages of a response: by the channel's model of the client's cache, or by what a client without a channel states. */
async function planned(
  { ports, target, request, channel, response }: Exchange,
  groups: readonly RequestedGroup[],
  statements: readonly ModelStatement[],
  budget: number,
): Promise<ChannelPlan> {
  const requested = groups.map((group) => group.requested);
  if (channel === null) return { ...planMessages(requested, stated(statements), budget), completeGroups: 0 };
  const { name, tid } = target;
  const { requestId } = request;
  const details = { response, window: windowText(request), requestId, statements, requested, budget };
  const plan = await ports.channels.plan(channel, { name, tid }, details);
  if (!plan) throw otherTarget('cid');
  return plan;
}

/**
 * Reports the response as delivered. Before the end of an incomplete one it waits, because the same request then asks for the rest.
 * After a failed report the bins are sent again.
 */
async function reportDelivery({ ports, channel, response, waitUntil }: Exchange, isComplete: boolean): Promise<void> {
  if (channel === null) return;
  const reported = ports.channels.delivered(channel, response).catch(() => undefined);
  waitUntil(reported);
  if (!isComplete) await reported;
}

function endReason({ target, request: { length } }: Exchange, { isComplete, completeGroups }: ChannelPlan): number {
  if (!isComplete) return length !== null && length <= JPIP.responseBytes ? END.byteLimit : END.responseLimit;
  return completeGroups === 1 + target.keys.length ? END.imageDone : END.windowDone;
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

async function bodyOf(exchange: Exchange): Promise<JpipResponse['body']> {
  const { ports, target, request } = exchange;
  // First the view window becomes data-bins of the target, and what the client says about its cache becomes statements about them.
  const groups = await requestedBins(ports, target, request);
  const statements = await modelStatements(ports, target, request);
  const budget = Math.min(request.length ?? JPIP.responseBytes, JPIP.responseBytes) - END_BYTES;
  if (budget < 0) return NOTHING;
  // Then the channel selects the bytes that the client lacks.
  const plan = await planned(exchange, groups, statements, budget);
  // Then they are read and encoded as messages in batches. The end of the last batch reports the delivery to the channel.
  const onLast = () => reportDelivery(exchange, plan.isComplete);
  const encoded = encodedBatches(ports, groups, plan.messages, endReason(exchange, plan), onLast);
  const first = (await encoded.next()).value as Uint8Array;
  // A response of one batch is sent as a whole, a longer one as a stream.
  const bytes = plan.messages.reduce((sum, message) => sum + lengthOf(message), 0);
  return bytes < JPIP.batchBytes ? first : streamOf(first, encoded);
}

/**
 * Serves a JPIP request for `target`.
 *
 * @throws Failure (unknown-id) for a channel that this service has not opened; (bad-parameter) for one of another target or a codestream
 *   that the target does not have; (busy)
 */
export async function serveJpip(
  ports: Omit<JpipServices, 'targets'>,
  target: JpipTarget,
  request: JpipRequest,
  waitUntil: WaitUntil,
): Promise<JpipResponse> {
  for (const id of [request.cid, ...request.cclose])
    if (id !== null && id !== '*' && !(await ports.channelIds.isOurs(id))) throw unknownChannel(id);
  if (request.cclose.length > 0) {
    await closeChannels(ports.channels, request, target);
    return { opened: null, body: NOTHING };
  }
  const opened = request.cnew ? await ports.channelIds.next() : null;
  const exchange = { ports, target, request, channel: opened ?? request.cid, response: crypto.randomUUID(), waitUntil };
  return { opened, body: await ports.memory.run(JOB_BYTES.jpip, MEMORY_WAIT_MS.request, () => bodyOf(exchange)) };
}
