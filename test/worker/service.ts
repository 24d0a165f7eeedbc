// Requests to the Worker, whose responses are compared with the OpenAPI document.
import { exports } from 'cloudflare:workers';
import { inject } from 'vitest';
import type { ReportedResponse } from './description-server.ts';

/** Responses of the API; other paths have no description. */
const API = /^\/+(?:v[12]\/*)?\w*\/*$/;

/**
 * The response of the Worker.
 * @throws Error when it differs from the document
 */
export async function fetchService(input: string | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { url, method } = request;
  const response = await exports.default.fetch(request);
  if (!API.test(new URL(url).pathname)) return response;
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  const body = response.body === null ? null : isJson ? await response.clone().text() : 'another body';
  const report: ReportedResponse = { url, method, status: response.status, headers: [...response.headers], body };
  const verdict = await fetch(inject('descriptionServer'), { method: 'POST', body: JSON.stringify(report) });
  const differences = await verdict.text();
  if (!verdict.ok) throw new Error(differences);
  return response;
}
