// A newcomer's flare list: a service that has none of RHESSI gets that of the sample Sun, for the days of which there are pictures.
import { importRhessi } from '../ingest/rhessi-import.ts';

/** Days around the showcase of the sample archive, and around the pictures of RHESSI in it. */
const PERIODS = ['from=2024-05-03&to=2024-05-18', 'from=2012-05-03&to=2012-05-18'] as const;
const REQUEST_TIMEOUT_MS = 30_000;

async function answerOf(url: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`Expected an answer of ${url}, got status ${answer.status}.`);
  return answer;
}

/**
 * Imports the list if the service has no flares of RHESSI; gives how many it took.
 * @param demoUrl Where the sources of the sample Sun are
 * @throws Error when either does not answer
 */
export async function fillEmptyFlareList(serviceUrl: string, token: string, demoUrl: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  const known = (await (await answerOf(`${serviceUrl}/admin/rhessi`, { headers })).json()) as { readonly flares: number };
  if (known.flares > 0) return 0;
  let taken = 0;
  for (const period of PERIODS) {
    const list = await (await answerOf(`${demoUrl}/rhessi/list.csv?${period}`)).text();
    const { added } = await importRhessi(serviceUrl, token, list, (line, error) => {
      throw new Error(`Expected every line of the sample list to be taken, got line ${line}: ${error}`);
    });
    taken += added;
  }
  return taken;
}
