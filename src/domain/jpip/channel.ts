// Deliveries on a JPIP channel: which data-bins its client is assumed to hold.
//
// A response counts as delivered once the service has handed all of it over; until then its bins are planned again for any other
// request. Delivery proves nothing, because a proxy may accept a response whose client has hung up. Two requests contradict it: one
// with the request ID of an answered request, and one for a window that was answered to its end. Both get the bins again.
import { type CacheModel, type MessagePlan, type PlannedMessage, planMessages, type RequestedBins } from './cache-model.ts';
import { applyStatement, type ModelStatement } from './model-statements.ts';

/** Responses under way that are remembered. The others count as lost. */
const MOST_UNDER_WAY = 32;

/** Answered windows that are remembered. A client has few requests under way, and a repetition follows its failure at once. */
export const ANSWERED_WINDOWS = 16;

/** The first byte of a response: byte `from` of bin `binIndex` of the requested group at `groupIndex`. */
type Start = Omit<PlannedMessage, 'to'>;

/** The last response to a window that was delivered. */
export interface Answer {
  /** Request ID (C.3.5); null without one. */
  readonly requestId: number | null;
  /** Whether the response said that the window is done. */
  readonly isDone: boolean;
  /** Null for a response without bins. */
  readonly start: Start | null;
}

export interface ChannelRequest {
  /** Identifies the response until it is delivered. */
  readonly response: string;
  /** Text that is equal for requests for the same window. */
  readonly window: string;
  readonly requestId: number | null;
  /** What the client says about its cache (`model`). */
  readonly statements: readonly ModelStatement[];
  readonly requested: readonly RequestedBins[];
  /** Bytes of the response, message headers included. */
  readonly budget: number;
}

export interface ChannelPlan extends MessagePlan {
  /** Number of bin groups (metadata, codestreams) that the client holds completely, once the response has arrived. */
  readonly completeGroups: number;
}

/** What a channel keeps from one request to the next. */
export interface ChannelState {
  model(group: number): CacheModel;
  keepModel(group: number, isWhole: boolean): void;
  /** Number of groups kept as whole, without `except`. */
  wholeGroups(except: ReadonlySet<number>): number;
  answer(window: string): Answer | null;
  /** Keeps the answer to a window, and forgets all but the last `ANSWERED_WINDOWS`. */
  keepAnswer(window: string, answer: Answer): void;
}

interface UnderWay extends Answer {
  readonly window: string;
  readonly requested: readonly RequestedBins[];
  readonly messages: readonly PlannedMessage[];
}

const FIRST: Start = { groupIndex: 0, binIndex: 0, from: 0 };

/** Where the repetition of an answered request begins; null for a continuation. */
function repeatedFrom(answer: Answer, requestId: number | null): Start | null {
  if (requestId !== null && requestId === answer.requestId) return answer.start;
  return answer.isDone ? FIRST : null;
}

const isWhole = (model: CacheModel, { binsInGroup }: RequestedBins): boolean => model.completeCount >= binsInGroup;

/** The requests of one channel, which come one after another. */
export class Channel {
  readonly #state: ChannelState;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(state: ChannelState) {
    this.#state = state;
  }

  /** Plans a response. It counts as lost unless `delivered` follows. */
  plan({ response, window, requestId, statements, requested, budget }: ChannelRequest): ChannelPlan {
    this.#applyStatements(statements);
    // A client that states the contents of its cache leaves nothing to conclude from a repetition.
    const answer = statements.length === 0 ? this.#state.answer(window) : null;
    const repeated = answer && repeatedFrom(answer, requestId);
    if (repeated) this.#subtract(requested, repeated);
    const models = new Map(requested.map(({ group }) => [group, this.#state.model(group).copy()]));
    const { messages, isComplete } = planMessages(requested, (group) => models.get(group) as CacheModel, budget);
    const start = messages[0] ?? null;
    this.#underWay.set(response, { window, requestId, isDone: isComplete, start, requested, messages });
    const [oldest] = this.#underWay.keys();
    if (this.#underWay.size > MOST_UNDER_WAY && oldest !== undefined) this.#underWay.delete(oldest);
    const completed = requested.filter((bins) => isWhole(models.get(bins.group) as CacheModel, bins)).length;
    return { messages, isComplete, completeGroups: completed + this.#state.wholeGroups(new Set(models.keys())) };
  }

  /** Adds a response to the cache models, because all of it was handed over. */
  delivered(response: string): void {
    const planned = this.#underWay.get(response);
    if (!planned) return;
    this.#underWay.delete(response);
    const { window, requestId, isDone, start, requested, messages } = planned;
    for (const { groupIndex, binIndex, from, to } of messages) {
      const { group, bins, lengths } = requested[groupIndex] as RequestedBins;
      this.#state.model(group).extend(bins[binIndex] as number, from, to, lengths[binIndex] as number);
    }
    for (const index of new Set(messages.map(({ groupIndex }) => groupIndex))) this.#keep(requested[index] as RequestedBins);
    this.#state.keepAnswer(window, { requestId, isDone, start });
  }

  #applyStatements(statements: readonly ModelStatement[]): void {
    for (const statement of statements) applyStatement(this.#state.model(statement.group), statement);
    for (const statement of new Map(statements.map((one) => [one.group, one])).values()) {
      const { group, binsInGroup } = statement;
      this.#state.keepModel(group, this.#state.model(group).completeCount >= binsInGroup);
    }
  }

  /** Subtracts what was requested, from `start` on. */
  #subtract(requested: readonly RequestedBins[], start: Start): void {
    for (const [groupIndex, bins] of requested.entries()) {
      if (groupIndex < start.groupIndex) continue;
      const first = groupIndex === start.groupIndex ? start.binIndex : 0;
      const model = this.#state.model(bins.group);
      for (let i = first; i < bins.bins.length; i++) {
        model.subtract(bins.bins[i] as number, groupIndex === start.groupIndex && i === first ? start.from : 0);
      }
      this.#keep(bins);
    }
  }

  #keep(bins: RequestedBins): void {
    this.#state.keepModel(bins.group, isWhole(this.#state.model(bins.group), bins));
  }
}
