// The RHESSI flare list of a new service: the flares of the sample Sun on the days of the sample archive.
import { importRhessi } from '../ingest/rhessi-import.ts';

/** Periods around the day of the sample archive and around its RHESSI images. */
const PERIODS = ['from=2024-05-03&to=2024-05-18', 'from=2012-05-03&to=2012-05-18'] as const;
const REQUEST_TIMEOUT_MS = 30_000;

async function responseOf(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}.`);
  return response;
}

/**
 * Imports the list if the service has no RHESSI flares.
 * @param demoUrl Address of the event sources of the sample Sun
 * @returns the number of imported flares
 * @throws Error when either does not respond
 */
export async function fillEmptyFlareList(serviceUrl: string, token: string, demoUrl: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  const known = (await (await responseOf(`${serviceUrl}/admin/rhessi`, { headers })).json()) as { readonly flares: number };
  if (known.flares > 0) return 0;
  let taken = 0;
  for (const period of PERIODS) {
    const list = await (await responseOf(`${demoUrl}/rhessi/list.csv?${period}`)).text();
    const { added } = await importRhessi(serviceUrl, token, list, (line, error) => {
      throw new Error(`Line ${line} of the sample flare list was refused: ${error}`);
    });
    taken += added;
  }
  return taken;
}
