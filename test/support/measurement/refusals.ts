// Tables of requests that an operation refuses.
import { expect, it } from 'vitest';

/** A row: what is wrong, the parameters, and the status and the sentence of the answer. */
type Refused<Parameters> = readonly [what: string, parameters: Parameters, status: number, sentence: RegExp | string];

export async function expectRefused(response: Response, status: number, sentence: RegExp | string): Promise<void> {
  const { error } = (await response.json()) as { error: string };
  expect([response.status, error]).toEqual([status, expect.stringMatching(sentence)]);
}

export function itRefuses<Parameters = Readonly<Record<string, unknown>>>(
  ask: (parameters: Parameters) => Promise<Response>,
  rows: readonly Refused<Parameters>[],
): void {
  it.each(rows)('refuses %s', async (_, parameters, status, sentence) => {
    await expectRefused(await ask(parameters), status, sentence);
  });
}
