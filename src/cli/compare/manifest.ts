// Manifests of services, read as they arrive.
import type { HeldDayLine, HeldFile } from '../../faces/images/list-schemas.ts';
import { parsedJson } from '../../platform/util/bytes.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { retry, retryAfterMs } from '../../platform/util/retry.ts';

/** A service limits the lists of a client in each minute. */
class TooManyRequests extends Error {
  readonly askedMs: number | null;

  constructor({ headers }: Response) {
    super();
    this.askedMs = retryAfterMs(headers.get('Retry-After'), Date.now());
  }
}

export interface ManifestRange {
  readonly sources?: readonly number[];
  /** ISO dates; the end is included. */
  readonly startTime?: string;
  readonly endTime?: string;
}

export interface ManifestClient {
  /** Source by source, in the order of time. @throws Error when the service fails or the list breaks off */
  files(range: ManifestRange): AsyncGenerator<HeldFile>;
  days(range: ManifestRange): AsyncGenerator<HeldDayLine>;
}

type End = { readonly next: string | null };

const isEnd = (line: object): line is End => 'next' in line;

/** @param serviceUrl without a slash at the end */
export function manifestClient(serviceUrl: string): ManifestClient {
  async function* lines<Line extends object>(detail: 'files' | 'days', range: ManifestRange): AsyncGenerator<Line> {
    for (let after: string | null = ''; after !== null; ) {
      const address = addressOf(serviceUrl, detail, range, after);
      const response = await retry(() => listResponse(address), {
        firstMs: MINUTE_MS,
        longestMs: MINUTE_MS,
        isTransient: (error) => error instanceof TooManyRequests,
        askedMs: (error) => (error instanceof TooManyRequests ? error.askedMs : null),
      }).catch((error: Error) => {
        throw new Error(`${serviceUrl} does not respond: ${error.cause instanceof Error ? error.cause.message : error.message}`);
      });
      if (!response.ok) throw new Error(`${serviceUrl} answered with status ${response.status}: ${await sentenceOf(response)}`);
      let end: End | null = null;
      for await (const line of jsonLines(response)) {
        if (isEnd(line)) end = line;
        else yield line as Line;
      }
      if (!end) throw new Error(`The list of ${serviceUrl} broke off before its end.`);
      after = end.next;
    }
  }
  return { files: (range) => lines('files', range), days: (range) => lines('days', range) };
}

async function listResponse(address: string): Promise<Response> {
  const response = await fetch(address);
  if (response.status !== 429) return response;
  await response.body?.cancel();
  throw new TooManyRequests(response);
}

function addressOf(serviceUrl: string, detail: string, range: ManifestRange, after: string): string {
  const query = new URLSearchParams({ detail, format: 'jsonl' });
  for (const [name, value] of Object.entries(range)) if (value !== undefined) query.set(name, String(value));
  if (after !== '') query.set('after', after);
  return `${serviceUrl}/v2/getHoldings/?${query}`;
}

async function sentenceOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  return body.error ?? 'it is no helioedge, or an older one';
}

async function* jsonLines(response: Response): AsyncGenerator<object> {
  let rest = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const line = parsedJson(part);
      if (typeof line !== 'object' || line === null) throw new Error(`${response.url} sends no list: it is no helioedge.`);
      yield line;
    }
  }
  if (rest !== '') throw new Error(`The list of ${response.url} broke off within a line.`);
}
