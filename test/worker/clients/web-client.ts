// Requests as the web client of helioviewer.org sends them: GET of `/?action=…`, and JSON to `//?action=…`.
import { fetchService } from '../service.ts';

export const ORIGIN = 'https://api.sun.example';

/** @param query As it stands in the address, not encoded */
export function clientGet(query: string): Promise<Response> {
  return fetchService(new Request(`${ORIGIN}/?${query}`, { redirect: 'manual' }));
}

export function clientPost(action: string, body: unknown): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return fetchService(new Request(`${ORIGIN}//?action=${action}`, { method: 'POST', headers, body: JSON.stringify(body) }));
}

export function getPath(path: string): Promise<Response> {
  return fetchService(new Request(`${ORIGIN}${path}`, { redirect: 'manual' }));
}
