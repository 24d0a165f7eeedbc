// Deliveries on a JPIP channel: which data-bins its client is assumed to hold.
//
// A response counts as delivered once the service has handed all of it over; until then its bins are planned again for any other
// request. Delivery proves nothing, because a proxy may accept a response whose client has hung up. Two requests contradict it: one
// with the request ID of an answered request, and one for a window that was answered to its end. Both get the bins again.
import { Service } from '../../platform/util/service.ts';
import type { CacheModel, MessageBudget, MessagePlan, ModelStatement, PlannedMessage, RequestedBins } from './cache-model.ts';
import { applyStatement, planMessages } from './cache-model.ts';

/** Responses under way that are remembered, and messages of them. The others count as lost. */
const MOST_UNDER_WAY = 32;
const MOST_MESSAGES = 1 << 18;

/** Answered windows that are remembered. A client has few requests under way, and a repetition follows its failure at once. */
export const ANSWERED_WINDOWS = 16;

/** The first byte of a response: byte `from` of bin `binIndex` of the group at `groupIndex`, counted over all steps. */
type Start = Omit<PlannedMessage, 'to'>;

/** The last response to a window that was delivered. */
export interface Answer {
  /** Request ID (C.3.5); null without one. */
  readonly requestId: number | null;
  /** Whether the response said that the window is done. */
  readonly isDone: boolean;
  /** Null for a response without bins. */
  readonly start: Start | null;
  /** Start of the rest of a repeated window, when the response repeated its beginning; null for any other response. */
  readonly rest: Start | null;
}

/** One step of a response: some of the requested groups. The steps of a response follow one another. */
export interface ChannelRequest {
  /** Identifies the response until it is delivered. */
  readonly response: string;
  readonly isLast: boolean;
  /** Text that is equal for requests for the same window. */
  readonly window: string;
  readonly requestId: number | null;
  /** Statements of the client about its cache (`model`); none after the first step. */
  readonly statements: readonly ModelStatement[];
  readonly requested: readonly RequestedBins[];
  readonly budget: MessageBudget;
}

export interface ChannelPlan extends MessagePlan {
  /** Number of bin groups (metadata, codestreams) that the client holds completely, once the response has arrived. Of the last step. */
  readonly completeGroups: number;
}

export interface ChannelState {
  /** The model of a group; changes last from `keepModel` on, which precedes the model of another group. */
  model(group: number): CacheModel;
  keepModel(group: number, isWhole: boolean): void;
  /** Number of groups kept as whole, without `except`. */
  wholeGroups(except: ReadonlySet<number>): number;
  answer(window: string): Answer | null;
  /** Keeps the answer to a window, and forgets all but the last `ANSWERED_WINDOWS`. */
  keepAnswer(window: string, answer: Answer): void;
}

interface Step extends Pick<ChannelRequest, 'requested' | 'isLast'> {
  readonly messages: readonly PlannedMessage[];
  /** Whether the response ends with this step, and has sent the last bin. */
  readonly isDone: boolean;
}

interface UnderWay extends Pick<ChannelRequest, 'window' | 'requestId'> {
  /** Start of the repetition of an answered request; null for a continuation. */
  readonly repeatedFrom: Start | null;
  readonly steps: Step[];
  /** Groups that are complete once the response has arrived. */
  readonly complete: Set<number>;
  start: Start | null;
}

const groupsOf = ({ steps }: UnderWay): number => steps.reduce((sum, { requested }) => sum + requested.length, 0);
const messagesOf = ({ steps }: UnderWay): number => steps.reduce((sum, { messages }) => sum + messages.length, 0);

const FIRST: Start = { groupIndex: 0, binIndex: 0, from: 0 };

function repeatedFrom(answer: Answer, requestId: number | null): Start | null {
  if (requestId !== null && requestId === answer.requestId) return answer.start;
  return answer.isDone ? FIRST : (answer.rest ?? null);
}

/** Rest of a repeated window after a response without its last step. */
function restOf(underWay: UnderWay): Start | null {
  const { repeatedFrom: start, steps } = underWay;
  if (!start || steps.at(-1)?.isLast) return null;
  const groups = groupsOf(underWay);
  return groups > start.groupIndex ? { ...FIRST, groupIndex: groups } : start;
}

const isWhole = (model: CacheModel, { binsInGroup }: RequestedBins): boolean => model.completeCount >= binsInGroup;

/** The requests of one channel, which come one after another. */
export class Channel extends Service<ChannelState> {
  readonly #underWay = new Map<string, UnderWay>();

  /** Plans a step of a response. The response counts as lost unless `delivered` follows the last one. */
  plan({ response, isLast, window, requestId, statements, requested, budget }: ChannelRequest): ChannelPlan {
    this.#applyStatements(statements);
    const underWay = this.#underWay.get(response) ?? this.#begin(response, { window, requestId }, statements.length === 0);
    const groups = groupsOf(underWay);
    if (underWay.repeatedFrom) this.#subtract(requested, underWay.repeatedFrom, groups);
    const models = new Map(requested.map(({ group }) => [group, this.ports.model(group).copy()]));
    const { messages, isComplete } = planMessages(requested, (group) => models.get(group)!, budget);
    const [first] = messages;
    if (first) underWay.start ??= { groupIndex: groups + first.groupIndex, binIndex: first.binIndex, from: first.from };
    underWay.steps.push({ requested, messages, isLast, isDone: isLast && isComplete });
    for (const bins of requested) if (isWhole(models.get(bins.group)!, bins)) underWay.complete.add(bins.group);
    this.#forgetOldest(response);
    return { messages, isComplete, completeGroups: isLast ? this.#completeGroups(underWay) : 0 };
  }

  /** Adds a response to the cache models, because all of it was handed over, or its first `sent` steps. */
  delivered(response: string, sent = Number.POSITIVE_INFINITY): void {
    const planned = this.#underWay.get(response);
    if (!planned) return;
    this.#underWay.delete(response);
    const { window, requestId, start, steps } = planned;
    steps.splice(sent);
    for (const { requested, messages } of steps)
      for (const [groupIndex, ofGroup] of Map.groupBy(messages, (message) => message.groupIndex)) {
        const bins = requested[groupIndex]!;
        const model = this.ports.model(bins.group);
        for (const { binIndex, from, to } of ofGroup) model.extend(bins.bins[binIndex]!, from, to, bins.lengths[binIndex]!);
        this.#keep(bins);
      }
    this.ports.keepAnswer(window, { requestId, isDone: steps.at(-1)?.isDone ?? false, start, rest: restOf(planned) });
  }

  /** A client that states the contents of its cache (`isSilent` false) leaves nothing to conclude from a repetition. */
  #begin(response: string, { window, requestId }: Pick<ChannelRequest, 'window' | 'requestId'>, isSilent: boolean): UnderWay {
    const answer = isSilent ? this.ports.answer(window) : null;
    const repeated = answer && repeatedFrom(answer, requestId);
    const underWay: UnderWay = { window, requestId, repeatedFrom: repeated, steps: [], complete: new Set(), start: null };
    this.#underWay.set(response, underWay);
    return underWay;
  }

  #forgetOldest(current: string): void {
    let messages = [...this.#underWay.values()].reduce((sum, underWay) => sum + messagesOf(underWay), 0);
    for (const [response, underWay] of this.#underWay) {
      if (this.#underWay.size <= MOST_UNDER_WAY && messages <= MOST_MESSAGES) return;
      if (response === current) continue;
      this.#underWay.delete(response);
      messages -= messagesOf(underWay);
    }
  }

  #completeGroups({ steps, complete }: UnderWay): number {
    const groups = steps.flatMap(({ requested }) => requested.map(({ group }) => group));
    return complete.size + this.ports.wholeGroups(new Set(groups));
  }

  #applyStatements(statements: readonly ModelStatement[]): void {
    for (const [group, ofGroup] of Map.groupBy(statements, (statement) => statement.group)) {
      const model = this.ports.model(group);
      for (const statement of ofGroup) applyStatement(model, statement);
      this.ports.keepModel(group, model.completeCount >= ofGroup[0]!.binsInGroup);
    }
  }

  /** Subtracts what was requested, from `start` on. `before`: groups of earlier steps. */
  #subtract(requested: readonly RequestedBins[], start: Start, before: number): void {
    for (const [i, bins] of requested.entries()) {
      const groupIndex = before + i;
      if (groupIndex < start.groupIndex) continue;
      const first = groupIndex === start.groupIndex ? start.binIndex : 0;
      const model = this.ports.model(bins.group);
      for (let bin = first; bin < bins.bins.length; bin++)
        model.subtract(bins.bins[bin]!, groupIndex === start.groupIndex && bin === first ? start.from : 0);
      this.#keep(bins);
    }
  }

  #keep(bins: RequestedBins): void {
    this.ports.keepModel(bins.group, isWhole(this.ports.model(bins.group), bins));
  }
}
