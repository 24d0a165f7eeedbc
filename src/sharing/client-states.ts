// Views of the web client, stored by the hash of their content: the same view has one link.
import { clientStateKey } from '../archive/keys.ts';
import type { Admission } from '../platform/admission/admission.ts';
import { type Deleted, deletedRows } from '../platform/admission/budgets.ts';
import { EVICTED_UNUSED_MS, ROW_BYTES } from '../platform/limits/admission.ts';
import { CLIENT_STATES } from '../platform/limits/sharing.ts';
import type { Clock, Log } from '../platform/ports/timing.ts';
import type { ImmutableObjects, ObjectStore } from '../platform/storage/r2-object-store.ts';
import { sha256Hex } from '../platform/util/bytes.ts';
import { badParameter, causeOf, Failure } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import type { D1ClientStates } from './d1-client-states.ts';

interface ClientStatePorts {
  readonly register: D1ClientStates;
  readonly objects: Pick<ObjectStore, 'head' | 'readAll' | 'delete'> & Pick<ImmutableObjects, 'create'>;
  readonly clock: Clock;
  /** Receives a use that could not be noted. */
  readonly log: Log;
}

export const STATE_KEY = /^[0-9a-f]{64}$/;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * JSON Canonicalization Scheme (RFC 8785) for the values that JSON.parse returns: members of objects are in the order of their names, so that
 * equal values have equal texts.
 * @throws Failure `bad-parameter` for more than `maxDepth` nested objects and lists
 */
function canonicalJson(value: unknown, maxDepth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (maxDepth === 0) throw badParameter('the request body', 'fewer nested objects and lists', value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, maxDepth - 1)).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, maxDepth - 1)}`);
  return `{${members.join(',')}}`;
}

/** Deletes some of the views that have not been used for so long, the objects first. A save of one of them is refused meanwhile. */
async function expire({ register, objects, clock }: ClientStatePorts, unusedMs: number): Promise<Deleted> {
  const nowMs = clock();
  const unused = await register.takeUnused(nowMs - unusedMs, nowMs);
  const keys = unused.map(({ key }) => key);
  await Promise.all(keys.map((key) => objects.delete(clientStateKey(key))));
  if (keys.length > 0) await register.delete(keys);
  return deletedRows(unused);
}

/** Deletes views that have not been used for long; returns their number. */
export const sweepClientStates = async (ports: ClientStatePorts): Promise<number> =>
  (await expire(ports, CLIENT_STATES.unusedMs)).count;

export class ClientStates extends Service<ClientStatePorts> {
  /**
   * Stores a view; returns its key, 64 hexadecimal digits.
   * @throws Failure `body-too-large`, `bad-parameter` for a view nested too deeply, `rate-limited`, `storage-full`, `busy` while it is removed
   */
  async save(state: object, admission: Admission): Promise<string> {
    const { stateBytes, depth } = CLIENT_STATES;
    const bytes = new TextEncoder().encode(canonicalJson(state, depth));
    if (bytes.byteLength > stateBytes)
      throw new Failure('body-too-large', `The shared view has ${bytes.byteLength} bytes; the limit is ${stateBytes}.`);
    const { register, objects, clock } = this.ports;
    const [key, nowMs] = [await sha256Hex(bytes), clock()];
    const amount = ROW_BYTES + Math.max(bytes.byteLength, CLIENT_STATES.leastBytes);
    if (!(await objects.head(clientStateKey(key)))) {
      const makeRoom = async () => (await expire(this.ports, EVICTED_UNUSED_MS)).bytes;
      await admission.store('views', amount, makeRoom);
    }
    if (!(await register.register(key, nowMs, amount)))
      throw new Failure('busy', 'This view was unused for long and is being removed. Try again later.', {
        retryAfterSeconds: 60,
      });
    await objects.create(clientStateKey(key), bytes, JSON_TYPE);
    return key;
  }

  /** The canonical JSON of a view; null for an unknown key. */
  async find(key: string): Promise<string | null> {
    const bytes = STATE_KEY.test(key) ? await this.ports.objects.readAll(clientStateKey(key)) : null;
    if (!bytes) return null;
    const { register, clock, log } = this.ports;
    await register.use(key, clock()).catch((error: unknown) => log({ view: key, unnoted: causeOf(error) }));
    return new TextDecoder().decode(bytes);
  }
}
