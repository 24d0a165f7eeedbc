// Ranges of codestreams in a JPIP request (ISO/IEC 15444-9, C.4.6).
import { badParameter } from '../../platform/util/errors.ts';

/** Codestreams from..to with a step; `to` null: to the last one. */
export type StreamRange = { readonly from: number; readonly to: number | null; readonly step: number };

/** Parses `a`, `a-b` or `a-`, each with an optional `:step`. @throws Failure (bad-parameter) that names `name` */
export function parseStreamRange(name: string, text: string): StreamRange {
  const match = /^(\d{1,9})(-(\d{1,9})?)?(?::([1-9]\d{0,8}))?$/.exec(text);
  const [, first = '', dash, last, step = '1'] = match ?? [];
  const from = Number(first);
  const to = last !== undefined ? Number(last) : dash ? null : from;
  if (!match || (to !== null && to < from)) throw badParameter(name, 'codestreams as <number> or <first>-<last>', text);
  return { from, to, step: Number(step) };
}

/** The codestreams of `ranges` that a target of `total` has, each once, in the order of the request. Others are ignored. */
export function existingCodestreams(ranges: readonly StreamRange[], total: number): number[] {
  const found: number[] = [];
  const isFound = new Uint8Array(total);
  for (const { from, to, step } of ranges) {
    const end = Math.min(to ?? total, total - 1);
    for (let n = from; n <= end && found.length < total; n += step) {
      if (isFound[n]) continue;
      isFound[n] = 1;
      found.push(n);
    }
  }
  return found;
}
