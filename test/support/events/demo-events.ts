// Queries to the demo sources in the form that their clients use.

type Json = Record<string, unknown>;

export interface HekPage {
  readonly result: readonly Json[];
  readonly overmax: boolean;
}

/** A page of the HEK search, with the parameters of a real query. */
export async function searchHek(url: string, from: string, to: string, more: Record<string, string> = {}): Promise<HekPage> {
  const query = new URLSearchParams({
    cosec: '2',
    cmd: 'search',
    type: 'column',
    event_type: '**',
    event_starttime: from,
    event_endtime: to,
    event_coordsys: 'helioprojective',
    x1: '-30000',
    x2: '30000',
    y1: '-30000',
    y2: '30000',
    result_limit: '1000',
    page: '1',
    ...more,
  });
  return (await fetch(`${url}/hek?${query}`)).json() as Promise<HekPage>;
}

export async function getJson<T = readonly Json[]>(url: string, path: string): Promise<T> {
  return (await fetch(url + path)).json() as Promise<T>;
}
