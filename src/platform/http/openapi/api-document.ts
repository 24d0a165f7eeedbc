// Shape of the OpenAPI document, as far as this project reads it, and the response headers that it describes.
import { RECIPE_LIMITS } from '../../../picture/limits.ts';
import { RATES } from '../../limits/admission.ts';

interface Body {
  readonly schema: object;
  readonly example?: unknown;
}

export interface DocumentedResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Body>>;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: object;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Body>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, { readonly get?: DocumentedOperation; readonly post?: DocumentedOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly headers: Readonly<Record<string, { readonly example: unknown }>>;
  };
}

import examples from './examples.json' with { type: 'json' };

const DESCRIPTIONS = {
  'X-Request-Id': 'Names the request in the log of the service.',
  ETag: 'Strong tag of the content, for If-None-Match and If-Range.',
  'Cache-Control': 'How long the response may be kept.',
  'Last-Modified': 'Observation time of the image, or time of the file.',
  'Content-Disposition': 'File name of the original service.',
  'Content-Range': 'The range that is sent, and the size of the whole.',
  Location: 'Address to which the client is sent.',
  'Retry-After': 'Seconds after which a retry can succeed.',
  RateLimit:
    'What is left of a limit and the seconds until more is admitted; only where the service knows it: with status 429, and in all responses of a service on one machine.',
  'RateLimit-Policy': `Limits of each client, in seconds: ${Object.values(RATES)
    .map(({ name, counts }) => `\`${name}\`, ${counts}`)
    .join('; ')}.`,
  'Set-Cookie': 'The session of the video host, for this browser only.',
  'X-Notice': 'Sentences about a request that is valid, but probably not meant as it is; absent where there is nothing to say.',
  'X-Image-Date': 'Observation time of the image; of a picture with layers, that of the image furthest from the requested time.',
  'X-Image-Distance':
    'Time of that image minus the requested time in seconds, so negative for an older image; 0 for an image requested by its id.',
  'X-Series-Rows': 'Rows of a series, for the progress of a response that is sent while it is measured.',
  'X-Image-Scale': 'Arcseconds per pixel of the picture.',
  'X-Image-Scale-Adjusted': `\`true\` where X-Image-Scale is coarser than requested, because a picture has at most ${RECIPE_LIMITS.sidePixels}x${RECIPE_LIMITS.sidePixels} pixels.`,
  'X-Layer-Images':
    'Source, observation time and signed distance in seconds of each layer, from the bottom to the top, separated by `; `.',
  'X-Layers-Far': 'Layers whose image is far from the requested time; absent where there is none.',
  'X-Events-Sources':
    'State of each source of events: `ok`, `stale;age=<seconds>`, `partial;days=<counted>/<all>` or `failed`, with `missing=`, `skipped=` and `cut`.',
  'X-Events-Loaded':
    'When the oldest part of the events of each source was loaded; a source of which nothing is there is left out.',
} as const;

export type HeaderName = keyof typeof DESCRIPTIONS;

/** The headers as components of the document. */
export const describedHeaders = () =>
  Object.entries(DESCRIPTIONS).map(([name, description]) => {
    const { type = 'string', example }: { type?: string; example: string | number } = examples.headers[name as HeaderName];
    return [name, { description, schema: { type: type as 'string' }, example }] as const;
  });
