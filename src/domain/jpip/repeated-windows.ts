// Detects responses of a JPIP channel that did not arrive. A proxy may accept a response whose client has hung up, so the end of the
// transfer proves nothing. A client repeats the request for a window until a response says that it is done, and not afterwards:
// a request for a window that was done means that the end of the series was lost, and perhaps more of it.
import type { UndeliveredBin } from './cache-model.ts';

/** Windows that are remembered. A client has few requests under way, and a repetition follows its failure at once. */
const WINDOWS = 16;

interface Series {
  /** Data-bins that the responses so far have sent. */
  readonly bins: UndeliveredBin[];
  /** Whether the last response said that the window is done. */
  readonly isDone: boolean;
}

/** The series of responses to each of the latest windows of a channel. */
export class RepeatedWindows {
  readonly #series = new Map<string, Series>();

  /** The bins to send again, in reverse order of sending; none unless the window was done. */
  undelivered(window: string): readonly UndeliveredBin[] {
    const series = this.#series.get(window);
    if (!series?.isDone) return [];
    this.#series.delete(window);
    return series.bins.toReversed();
  }

  /** Records a response to `window`. */
  sent(window: string, bins: readonly UndeliveredBin[], isDone: boolean): void {
    const earlier = this.#series.get(window)?.bins ?? [];
    this.#series.delete(window);
    this.#series.set(window, { bins: [...earlier, ...bins], isDone });
    const [oldest] = this.#series.keys();
    if (this.#series.size > WINDOWS && oldest !== undefined) this.#series.delete(oldest);
  }

  clear(): void {
    this.#series.clear();
  }
}

/** The bins of planned messages. */
export function binsOfMessages(
  messages: readonly { readonly groupIndex: number; readonly binIndex: number; readonly from: number }[],
  requested: readonly { readonly group: number; readonly bins: Uint32Array }[],
): UndeliveredBin[] {
  return messages.map(({ groupIndex, binIndex, from }) => {
    const { group, bins } = requested[groupIndex] as (typeof requested)[number];
    return { group, bin: bins[binIndex] as number, from };
  });
}
