// Requests as the web client of helioviewer.org sends them: GET of `/?action=…`, and JSON to `//?action=…`.
import { exports } from 'cloudflare:workers';

export const ORIGIN = 'https://api.sun.example';

/** @param query As it stands in the address, not encoded */
export function clientGet(query: string): Promise<Response> {
  return exports.default.fetch(new Request(`${ORIGIN}/?${query}`, { redirect: 'manual' }));
}

export function clientPost(action: string, body: unknown): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return exports.default.fetch(
    new Request(`${ORIGIN}//?action=${action}`, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
}

export function getPath(path: string): Promise<Response> {
  return exports.default.fetch(new Request(`${ORIGIN}${path}`, { redirect: 'manual' }));
}
