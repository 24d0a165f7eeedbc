// The headers of requests as places that a client fills.
import { REQUEST_LIMITS } from '../../../src/platform/limits/http.ts';
import { type Field, type HeaderValues, lengthsTo, ORIGIN, textField } from './field.ts';
import type { GrowthService } from './service.ts';

/** Headers that the service or its platform reads, with a valid value of each. */
export const HEADERS: HeaderValues = {
  Accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
  'Accept-Encoding': 'gzip, deflate, br;q=1.0',
  'Accept-Language': 'en-GB,en;q=0.5',
  Authorization: 'Bearer 0123456789abcdef',
  'CF-Connecting-IP': '2001:db8::1',
  'Content-Type': 'multipart/form-data; boundary="abc"; charset=utf-8',
  'Content-Length': '10',
  Cookie: 'theme=dark; __Host-helioedge-sharing=0123456789abcdefghij; other="a b"',
  Forwarded: 'for=192.0.2.60;proto=http;by="[2001:db8::1]"',
  'If-Match': '"abc", W/"def"',
  'If-Modified-Since': 'Fri, 10 May 2024 12:00:00 GMT',
  'If-None-Match': 'W/"abc", "def"',
  'If-Range': '"abc"',
  'MCP-Protocol-Version': '2025-06-18',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': '=?base64?Z2V0SW1hZ2VIZWFkZXI=?=',
  Origin: 'https://helioedge.test',
  Range: 'bytes=0-99',
  'Sec-Fetch-Dest': 'empty',
  'Sec-Fetch-Site': 'same-origin',
  'X-Content-SHA256': '0'.repeat(64),
  'X-Forwarded-For': '192.0.2.60, [2001:db8::1]:80',
  'X-Forwarded-Host': 'example.org:443',
};

/** Characters that a header value cannot have. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e]/g;

/** Lengths of texts in a header, up to its limit. A longer Range is taken, and ignored. */
function lengthsOf(name: string, good: string): readonly number[] {
  const { headerCharacters, rangeCharacters } = REQUEST_LIMITS;
  return lengthsTo(name === 'Range' ? [rangeCharacters, headerCharacters] : [headerCharacters], good);
}

/** Bytes of a file that have another hash. */
const UPLOAD = 'another file';

type HeaderRequest = readonly [method: string, path: string, headers?: HeaderValues, body?: string];

/** A request of every kind that reads some headers, which gets past the checks that come before these. */
function requestsOf({ good, ownPage, operator, worker, toolCall, image }: GrowthService): readonly HeaderRequest[] {
  // Without a length, the upload would reserve room for the longest.
  const upload = { 'Content-Length': String(UPLOAD.length), 'X-Content-SHA256': '0'.repeat(64) };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return [
    ['GET', '/nothing'],
    ['GET', `/jp2/${image.path}`],
    ['POST', '/v2/getClosestImage/', form, String(new URLSearchParams(good.getClosestImage))],
    ['GET', `/v2/uploadMovieToVideoHost/?${new URLSearchParams(good.uploadMovieToVideoHost)}`, ownPage],
    ['POST', '/mcp', toolCall.headers, JSON.stringify(toolCall.body)],
    ['PUT', `/admin/images/${image.fileName}`, { ...operator, ...upload }, UPLOAD],
    ['GET', `/internal/objects/jp2/${image.path}`, worker],
  ];
}

/** Every header, on requests of every kind that reads some. */
export function headerFields(service: GrowthService): readonly Field[] {
  const requests = requestsOf(service);
  return Object.entries(HEADERS).map(([name, good]) => {
    const where = `${name} of ${requests.map(([method, path]) => `${method} ${path.split('?')[0]}`).join(', ')}`;
    const withText = requests.map(([method, path, headers, body = null]) => (text: string) => {
      const given = text.replace(NOT_IN_HEADERS, '?');
      return new Request(ORIGIN + path, { method, body, headers: { ...headers, [name]: given } });
    });
    return textField({ name, where, good, lengths: lengthsOf(name, good) }, ...withText);
  });
}
