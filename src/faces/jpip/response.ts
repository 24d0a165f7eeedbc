// The response to a JPIP request: the requested data-bins that the client lacks, as JPP-stream messages.
//
// The channel's Durable Object plans the messages; the Worker reads and sends them. Planning takes a few kilobytes in one call,
// sidecars stay shared by all channels of the isolate, and image bytes go from R2 to the client without a detour.
import type { MessageBudget, PlannedMessage } from '../../jp2/jpip/cache-model.ts';
import { applyStatement, budgetAfter, CacheModel, planMessages } from '../../jp2/jpip/cache-model.ts';
import type { ChannelPlan } from '../../jp2/jpip/channel.ts';
import { END, END_BYTES, endOfResponse, METADATA, messageHeader, startOfResponse } from '../../jp2/jpip/messages.ts';
import { type JpipRequest, windowText } from '../../jp2/jpip/request.ts';
import type { Admission, RenderCall } from '../../platform/admission/admission.ts';
import { streamOf } from '../../platform/http/response.ts';
import { JPIP } from '../../platform/limits/jpx.ts';
import { JOB_BYTES } from '../../platform/limits/memory.ts';
import { readsFor } from '../../platform/limits/prices.ts';
import type { Clock, WaitUntil } from '../../platform/ports/timing.ts';
import { concatenated, hmacSha256Hex, randomHex, sha256Hex } from '../../platform/util/bytes.ts';
import { withFirst } from '../../platform/util/concurrency.ts';
import { HOUR_MS } from '../../platform/util/durations.ts';
import { Failure } from '../../platform/util/errors.ts';
import { Service } from '../../platform/util/service.ts';
import { chargedParts } from '../jpx/jpx-manifest.ts';
import type { JpipChannel } from './jpip-channel.ts';
import { modelStatements, type RequestedBin, type RequestedGroup, readSources, requestedSteps } from './requested-bins.ts';
import type { JpipTarget, JpipTargets, TargetPorts } from './target.ts';

/** Hexadecimal digits of the hour since 1970. */
const HOUR_DIGITS = 6;
const RANDOM_BYTES = 9;
const SIGNED_DIGITS = HOUR_DIGITS + 2 * RANDOM_BYTES;
/** Hexadecimal digits of the signature: an invented id is taken for ours with a probability of 2^-64. */
const SIGNATURE_DIGITS = 16;

/** Ids of channels, signed with the hour of their issue, so that neither an invented id nor one of long ago makes a Durable Object. `secret`: known to all isolates. */
export class ChannelIds extends Service<{ readonly secret: string; readonly clock: Clock }> {
  /** A new id of 40 hexadecimal digits. */
  async next(): Promise<string> {
    const signed = this.#hour().toString(16).padStart(HOUR_DIGITS, '0') + randomHex(RANDOM_BYTES);
    return signed + (await this.#signature(signed));
  }

  async isValid(id: string): Promise<boolean> {
    const signed = id.slice(0, SIGNED_DIGITS);
    if (id !== signed + (await this.#signature(signed))) return false;
    return this.#hour() - Number.parseInt(signed.slice(0, HOUR_DIGITS), 16) <= JPIP.idHours;
  }

  #hour(): number {
    return Math.floor(this.ports.clock() / HOUR_MS);
  }

  async #signature(signed: string): Promise<string> {
    return (await hmacSha256Hex(this.ports.secret, `channel ${signed}`)).slice(0, SIGNATURE_DIGITS);
  }
}

/** The cache model of a channel by its id, made on first use, which expires when it is idle. */
export type JpipChannels = (id: string) => Pick<JpipChannel, 'plan' | 'delivered' | 'close'>;

/** @param namespace Of class JpipChannel, whose type is not available where bindings are declared */
export const durableChannels =
  (namespace: DurableObjectNamespace): JpipChannels =>
  (id) => {
    // A stub for each call: one whose object has been reset fails from then on.
    const channel = () => (namespace as DurableObjectNamespace<JpipChannel>).getByName(id);
    return {
      plan: (...given) => channel().plan(...given),
      delivered: (...given) => channel().delivered(...given),
      close: (...given) => channel().close(...given),
    };
  };

export interface JpipServices extends TargetPorts {
  readonly channels: JpipChannels;
  readonly targets: JpipTargets;
  readonly channelIds: ChannelIds;
}

const NOTHING = new Uint8Array(0);
const otherTarget = (name: string) =>
  new Failure('bad-parameter', `The channel of ${name} belongs to another target.`, { parameter: name });

const unknownChannel = (id: string) =>
  new Failure('unknown-id', `No channel has the id ${id}. The parameter cnew opens one.`, { parameter: 'cid' });

const lengthOf = ({ from, to }: PlannedMessage): number => to - from;
const bytesOf = (messages: readonly PlannedMessage[]): number => messages.reduce((sum, message) => sum + lengthOf(message), 0);

/** Consecutive messages with about `JPIP.batchBytes` of data each. */
function* batches(messages: readonly PlannedMessage[]): Generator<readonly PlannedMessage[]> {
  for (let from = 0, to = 0; from < messages.length; from = to) {
    for (let bytes = 0; to < messages.length && bytes < JPIP.batchBytes; to++) bytes += lengthOf(messages[to] as PlannedMessage);
    yield messages.slice(from, to);
  }
}

type PlannedStep = { readonly groups: readonly RequestedGroup[]; readonly plan: ChannelPlan };

const binOf = ({ groups }: PlannedStep, { groupIndex, binIndex }: PlannedMessage): RequestedBin =>
  groups[groupIndex]?.bins[binIndex] as RequestedBin;

/** The messages in parts of about `JPIP.batchBytes`, with the end of response, also when units are used up. @throws Failure for the first step */
async function* encodedParts(exchange: Exchange, steps: AsyncIterator<PlannedStep>): AsyncGenerator<Uint8Array, Uint8Array> {
  const context = startOfResponse();
  let part: Uint8Array[] = [];
  let partBytes = 0;
  let last: ChannelPlan | null = null;
  let [sent, hasBegun, isCut] = [0, false, false];
  try {
    for (let next = await steps.next(); !next.done; next = await steps.next(), sent += 1) {
      const step = next.value;
      last = step.plan;
      const sourcesOf = (message: PlannedMessage) => binOf(step, message).sources().slice(message.from, message.to);
      const read = (batch: readonly PlannedMessage[]) => readSources(exchange.ports.objects, batch.map(sourcesOf));
      for (const batch of batches(step.plan.messages)) {
        const reading = read(batch);
        // It is read while the part before is sent; a failure is met below, unless the client ends the response first.
        reading.catch(() => undefined);
        if (partBytes > 0 && partBytes + bytesOf(batch) > JPIP.batchBytes) {
          yield concatenated(part);
          [part, partBytes, hasBegun] = [[], 0, true];
        }
        const data = await reading;
        for (const [i, message] of batch.entries()) {
          const { binClass, codestream, id, length } = binOf(step, message);
          const { from: offset, to } = message;
          const header = { binClass, codestream, id, offset, length: to - offset, isLast: to === length };
          part.push(messageHeader(header, context), ...(data[i] as Uint8Array[]));
        }
        partBytes += bytesOf(batch);
      }
    }
  } catch (error) {
    const isRefused = error instanceof Failure && ['rate-limited', 'busy'].includes(error.kind);
    isCut = isRefused && (sent > 0 || hasBegun);
    if (!isCut) throw error;
  }
  await reportDelivery(exchange, sent, last!.isComplete && !isCut);
  return concatenated([...part, endOfResponse(isCut ? END.responseLimit : endReason(exchange, last!))]);
}

/** A request on a channel, or a stateless one where `channel` is null, and the response to it. */
interface Exchange {
  readonly ports: JpipServices;
  readonly target: JpipTarget;
  readonly request: JpipRequest;
  readonly channel: ReturnType<JpipChannels> | null;
  /** Identifies the response until it is delivered. */
  readonly response: string;
  readonly waitUntil: WaitUntil;
}

/** The messages of each step: by the channel's model of the client's cache, or by what a client without a channel states. */
async function* plannedSteps(exchange: Exchange, budget: MessageBudget): AsyncGenerator<PlannedStep, undefined> {
  const { ports, target, request, channel, response } = exchange;
  const { name, tid } = target;
  const { requestId } = request;
  // A digest, because a request may name thousands of ranges, and channels keep the windows that they have answered.
  const window = await sha256Hex(windowText(request));
  let statements = await modelStatements(ports, target, request);
  const models = new Map<number, CacheModel>();
  const modelOf = (group: number): CacheModel => {
    const model = models.get(group) ?? new CacheModel();
    models.set(group, model);
    return model;
  };
  for (const statement of statements) applyStatement(modelOf(statement.group), statement);
  let left = budget;
  for await (const { groups, isLast } of requestedSteps(ports, target, request)) {
    const requested = groups.map((group) => group.requested);
    const details = { response, isLast, window, requestId, statements, requested, budget: left };
    const plan =
      channel === null
        ? { ...planMessages(requested, modelOf, left), completeGroups: 0 }
        : await channel.plan({ name, tid }, details);
    if (!plan) throw otherTarget('cid');
    yield { groups, plan };
    if (!plan.isComplete) return;
    left = budgetAfter(left, plan.messages);
    statements = [];
  }
}

/** Reports the response as delivered; before the end of an incomplete one it waits. After a failed report the bins are sent again. */
async function reportDelivery({ channel, response, waitUntil }: Exchange, sent: number, isComplete: boolean) {
  if (channel === null) return;
  const reported = channel.delivered(response, sent).catch(() => undefined);
  waitUntil(reported);
  if (!isComplete) await reported;
}

function endReason({ target, request: { length } }: Exchange, { isComplete, completeGroups }: ChannelPlan): number {
  if (!isComplete) return length !== null && length <= JPIP.responseBytes ? END.byteLimit : END.responseLimit;
  return completeGroups === 1 + target.keys.length ? END.imageDone : END.windowDone;
}

/** Ports that charge a client for what it reads: each read of R2, and the calls and rows of channels and the index as the reads that cost as much. */
export function charged(ports: JpipServices, admission: Admission): JpipServices {
  const { objects, index, channels } = ports;
  const after =
    <Given extends unknown[], T>(amount: number, work: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      await admission.admit('reads', amount);
      return work(...given);
    };
  const [call, row] = [readsFor('call'), readsFor('rowRead')];
  return {
    ...ports,
    objects: {
      head: after(1, (key) => objects.head(key)),
      read: after(1, (...range) => objects.read(...range)),
      readAll: after(1, (key) => objects.readAll(key)),
      // A sidecar is made once for each image.
      put: (...object) => objects.put(...object),
    },
    parts: chargedParts(ports.parts, admission),
    index: {
      byFileName: after(row, (name) => index.byFileName(name)),
      withdrawnByFileName: after(row, (name) => index.withdrawnByFileName(name)),
      withdrawn: async (ids) => after(row * ids.length, () => index.withdrawn(ids))(),
    },
    channels: (id) => {
      const channel = channels(id);
      return {
        plan: after(call, async (...step) => {
          const plan = await channel.plan(...step);
          admission.owe('reads', plan?.cost ?? 0);
          return plan;
        }),
        async delivered(...delivery) {
          admission.owe('reads', call);
          const cost = await channel.delivered(...delivery);
          admission.owe('reads', cost);
          return cost;
        },
        close: after(call, (name) => channel.close(name)),
      };
    },
  };
}

/** Whether at least `JPIP.gzipBytes` and most bytes of the first step are metadata, which is text. */
function isMostlyMetadata(step: PlannedStep): boolean {
  const metadata = step.plan.messages.filter((message) => binOf(step, message).binClass === METADATA);
  const bytes = bytesOf(metadata);
  return bytes >= JPIP.gzipBytes && 2 * bytes > bytesOf(step.plan.messages);
}

/** A JPP-stream, and whether its compression pays: most of the first part is metadata. */
async function bodyOf(exchange: Exchange) {
  const { length } = exchange.request;
  const bytes = Math.min(length ?? JPIP.responseBytes, JPIP.responseBytes) - END_BYTES;
  if (bytes < 0) return { body: NOTHING, isCompressible: false };
  // First the view window becomes data-bins of the target, step by step, and the channel selects what the client lacks of them.
  const steps = plannedSteps(exchange, { bytes, messages: JPIP.responseMessages });
  const { value: first } = await steps.next();
  // Then it is read and encoded as messages in parts. The end of the last part reports the delivery to the channel.
  const encoded = encodedParts(exchange, withFirst(first!, steps));
  const part = await encoded.next();
  // A response of one part is sent as a whole, a longer one as a stream.
  return { body: part.done ? part.value : streamOf(withFirst(part.value, encoded), 0), isCompressible: isMostlyMetadata(first!) };
}

/** Serves a JPIP request. `opened`: the id of a new channel, or null. @throws Failure for a channel of another target or service; `busy`; `rate-limited` */
export async function serveJpip(
  ports: JpipServices,
  target: JpipTarget,
  request: JpipRequest,
  { admission, waitUntil }: Pick<RenderCall, 'admission' | 'waitUntil'>,
) {
  const { cid, cclose } = request;
  for (const id of [cid, ...cclose])
    if (id !== null && id !== '*' && !(await ports.channelIds.isValid(id))) throw unknownChannel(id);
  const own = charged(ports, admission);
  for (const id of new Set(cclose.map((named) => (named === '*' ? cid : named))))
    if (id !== null && !(await own.channels(id).close(target.name))) throw otherTarget('cclose');
  if (cclose.length > 0) return { opened: null, body: NOTHING, isCompressible: false };
  const opened = request.cnew ? await ports.channelIds.next() : null;
  const id = opened ?? cid;
  const channel = id === null ? null : own.channels(id);
  const exchange = { ports: own, target, request, channel, response: crypto.randomUUID(), waitUntil };
  return { opened, ...(await admission.hold(JOB_BYTES.jpip, () => bodyOf(exchange), { reads: false })) };
}
