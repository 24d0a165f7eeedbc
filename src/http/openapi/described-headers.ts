// Response headers by name, for the OpenAPI document.
import { RECIPE_LIMITS } from '../../picture/limits.ts';

interface DescribedHeader {
  readonly description: string;
  /** Unset: string. */
  readonly type?: 'integer' | 'number' | 'string';
  readonly example: string | number;
}

const HEADERS = {
  'X-Request-Id': {
    description: 'Names the request in the log of the service.',
    example: '6f1c2d0e-8a51-4f5c-9a3b-2f1f9f0c7d11',
  },
  ETag: {
    description: 'Strong tag of the content, for If-None-Match and If-Range.',
    example: '"0f3c5e0d7a4b8c1e2d9f6a7b8c9d0e1f"',
  },
  'Cache-Control': { description: 'How long the response may be kept.', example: 'public, max-age=31536000, immutable' },
  'Last-Modified': {
    description: 'Observation time of the image, or time of the file.',
    example: 'Fri, 10 May 2024 12:00:00 GMT',
  },
  'Content-Disposition': {
    description: 'File name of the original service.',
    example: 'attachment; filename="sun.jp2"',
  },
  'Content-Range': { description: 'The range that is sent, and the size of the whole.', example: 'bytes 0-99/1048576' },
  Location: { description: 'Address to which the client is sent.', example: 'https://helioedge.test/' },
  'Retry-After': { description: 'Seconds after which a retry can succeed.', type: 'integer', example: 60 },
  RateLimit: {
    description:
      'What is left of a limit and the seconds until more is admitted; only where the service knows it: with status 429, and in all responses of a service on one machine.',
    example: '"uncached";r=1180;t=42',
  },
  'RateLimit-Policy': {
    description:
      'Limits of each client: requests, or units of their cost (`heavy`: pictures and long lists), in seconds. `all` counts what passes the edge cache, `uncached` what the cache does not have.',
    example: '"uncached";q=1200;w=60',
  },
  'Set-Cookie': {
    description: 'The session of the video host, for this browser only.',
    example: 'helioedge-sharing=…; HttpOnly',
  },
  'X-Notice': {
    description:
      'Sentences about a request that is valid, but probably not meant as it is; absent where there is nothing to say.',
    example: 'The parameter sourcesId is unknown and ignored. Did you mean sourceId?',
  },
  'X-Image-Date': {
    description: 'Observation time of the image; of a picture with layers, that of the image furthest from the requested time.',
    example: '2024-05-10T12:00:08.000Z',
  },
  'X-Image-Distance': {
    description:
      'Time of that image minus the requested time in seconds, so negative for an older image; 0 for an image requested by its id.',
    type: 'number',
    example: 8,
  },
  'X-Series-Rows': {
    description: 'Rows of a series, for the progress of a response that is sent while it is measured.',
    type: 'integer',
    example: 120,
  },
  'X-Image-Scale': { description: 'Arcseconds per pixel of the picture.', type: 'number', example: 4.84 },
  'X-Image-Scale-Adjusted': {
    description: `\`true\` where X-Image-Scale is coarser than requested, because a picture has at most ${RECIPE_LIMITS.sidePixels}x${RECIPE_LIMITS.sidePixels} pixels.`,
    example: 'true',
  },
  'X-Layer-Images': {
    description:
      'Source, observation time and signed distance in seconds of each layer, from the bottom to the top, separated by `; `.',
    example: 'AIA 193 2024-05-10T11:30:00.000Z 0; LASCO C2 2024-05-10T11:24:00.000Z -360',
  },
  'X-Layers-Far': {
    description: 'Layers whose image is far from the requested time; absent where there is none.',
    example: 'LASCO C2',
  },
  'X-Events-Sources': {
    description:
      'State of each source of events: `ok`, `stale;age=<seconds>`, `partial;days=<counted>/<all>` or `failed`, with `missing=`, `skipped=` and `cut`.',
    example: 'HEK=ok, CCMC=stale;age=300, RHESSI=ok',
  },
  'X-Events-Loaded': {
    description: 'When the oldest part of the events of each source was loaded; a source of which nothing is there is left out.',
    example: 'HEK=2024-05-10T12:00:03Z, RHESSI=2024-05-10T11:58:00Z',
  },
} as const satisfies Readonly<Record<string, DescribedHeader>>;

export type HeaderName = keyof typeof HEADERS;

export const DESCRIBED_HEADERS: Readonly<Record<HeaderName, DescribedHeader>> = HEADERS;
