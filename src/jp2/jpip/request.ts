// Parses a JPIP request (ISO/IEC 15444-9, Annex C) from the raw query: clients send brackets unescaped, and a plus sign is no space.
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { percentDecoded } from '../../platform/util/url.ts';
import { type ModelElement, parseModel, parseStreamRange, type StreamRange } from './cache-model.ts';

type Rounding = 'round-down' | 'round-up' | 'closest';

export interface JpipRequest {
  readonly cnew: boolean;
  /** The channel of the request; null for a stateless request. */
  readonly cid: string | null;
  /** Channels to close; `*` means the one of `cid`. */
  readonly cclose: readonly string[];
  /** `only`: the request is for metadata alone (`!!`). */
  readonly metadata: 'unspecified' | 'requested' | 'only';
  /** From `stream` and `context`; empty without either. */
  readonly streams: readonly StreamRange[];
  /** Size at which the client displays the whole image; null for a request without image data. */
  readonly frameSize: { readonly width: number; readonly height: number; readonly rounding: Rounding } | null;
  /** On the grid of `frameSize`. */
  readonly regionOffset: { readonly x: number; readonly y: number };
  readonly regionSize: { readonly width: number; readonly height: number } | null;
  /** Maximum quality layers; null means all. */
  readonly layers: number | null;
  /** Maximum bytes of the response; null without a limit. */
  readonly length: number | null;
  /** Statements of the client about its cache (`model`). */
  readonly model: readonly ModelElement[];
  /** Request ID (`qid`), equal in the repetition of a request; null without one. */
  readonly requestId: number | null;
  /** Target in the query, which takes precedence over the path. */
  readonly target: string | null;
}

/** Fields that identify a JPIP request. */
const IDENTIFYING_FIELDS = ['cnew', 'cid', 'cclose', 'metareq', 'stream', 'context', 'fsiz', 'roff', 'rsiz'];
/** All supported fields; the standard allows a server to ignore the others. */
const FIELDS = [...IDENTIFYING_FIELDS, 'type', 'layers', 'len', 'model', 'qid', 'target'];

/** Numbers have at most 31 bits. */
const MAX_NUMBER = 2 ** 31 - 1;
/** Ranges of codestreams: as many as the longest movie has frames. */
const MAX_STREAMS = 4096;
const MAX_CHANNELS = 8;
const CHANNEL_ID = /^[A-Za-z0-9_-]{1,64}$/;
const ROUNDINGS: readonly string[] = ['round-down', 'round-up', 'closest'];

const pairsOf = (query: string): [name: string, value: string | undefined][] =>
  query
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [part, undefined] : [part.slice(0, at), part.slice(at + 1)];
    });

export const isJpipQuery = (query: string): boolean => pairsOf(query).some(([name]) => IDENTIFYING_FIELDS.includes(name));

function decoded(name: string, value: string): string {
  const text = percentDecoded(value);
  if (text === null) throw badParameter(name, 'percent-encoded UTF-8', value);
  return text;
}

function fieldsOf(query: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value = ''] of pairsOf(query).filter((pair) => FIELDS.includes(pair[0]))) {
    if (fields.has(name)) throw new Failure('bad-parameter', `The query has ${name} twice. Send it once.`, { parameter: name });
    fields.set(name, decoded(name, value));
  }
  return fields;
}

/** Text that two requests share when they ask for the same window and metadata, on whatever channel and in however many bytes. */
export const windowText = ({ streams, frameSize, regionOffset, regionSize, layers, metadata }: JpipRequest): string =>
  JSON.stringify([streams, frameSize, regionOffset, regionSize, layers, metadata]);

/** NaN for text that is not a number of the standard. */
const numberOf = (text: string): number => (/^\d{1,10}$/.test(text) && Number(text) <= MAX_NUMBER ? Number(text) : Number.NaN);

function number(name: string, text: string, what: string): number {
  const value = numberOf(text);
  if (Number.isNaN(value)) throw badParameter(name, what, text);
  return value;
}

/** Two numbers of at least `least`; null for anything else. */
function pairOf(parts: readonly string[], least: number): [number, number] | null {
  const [first = Number.NaN, second = Number.NaN] = parts.map(numberOf);
  return parts.length === 2 && first >= least && second >= least ? [first, second] : null;
}

function pair(name: string, text: string, what: string, least: number): [number, number] {
  const numbers = pairOf(text.split(','), least);
  if (!numbers) throw badParameter(name, what, text);
  return numbers;
}

function list(name: string, text: string, separator: RegExp, most: number): string[] {
  const parts = text.split(separator);
  if (parts.length > most) throw badParameter(name, `at most ${most} entries`, parts.length);
  return parts;
}

/** `jpxl<a-b>`: compositing layers, which have the numbers of the codestreams in files of this archive. */
function contextRange(text: string): StreamRange {
  const match = /^jpxl<([^<>]*)>(\[[^\][]*\])?$/.exec(text);
  if (!match) throw badParameter('context', 'jpxl<first-last>', text);
  return parseStreamRange('context', match[1] as string);
}

function streamsOf(fields: ReadonlyMap<string, string>): StreamRange[] {
  const stream = fields.get('stream');
  const context = fields.get('context');
  return [
    ...(stream === undefined ? [] : list('stream', stream, /,/, MAX_STREAMS).map((part) => parseStreamRange('stream', part))),
    ...(context === undefined ? [] : list('context', context, /[;,]/, MAX_STREAMS).map(contextRange)),
  ];
}

function frameSizeOf(text: string): JpipRequest['frameSize'] {
  const [width = '', height = '', rounding = 'round-down', ...more] = text.split(',');
  const size = pairOf([width, height], 1);
  if (!size || more.length > 0 || !ROUNDINGS.includes(rounding))
    throw badParameter('fsiz', '<width>,<height> and round-down, round-up or closest', text);
  return { width: size[0], height: size[1], rounding: rounding as Rounding };
}

/** `[boxes]` with optional qualifiers (C.5.2). The boxes are ignored, because all metadata is in one bin. */
function metadataOf(text: string): JpipRequest['metadata'] {
  const match = /^\[[^\][]*\][\w,:*]*(!!)?$/.exec(text);
  if (!match) throw badParameter('metareq', '[<boxes>] or [<boxes>]!!', text);
  return match[1] ? 'only' : 'requested';
}

function requireJppStream(type: string | undefined): void {
  const types = type?.split(',').map((part) => part.split(';')[0]);
  if (types && !types.includes('jpp-stream') && !types.includes('image/jpp-stream') && !types.includes('*'))
    throw badParameter('type', 'jpp-stream', type);
}

function channel(name: string, text: string): string {
  if (!CHANNEL_ID.test(text)) throw badParameter(name, 'a channel of at most 64 letters, digits, - and _', text);
  return text;
}

/** @throws Failure (bad-parameter) that names the field */
export function parseJpipRequest(query: string): JpipRequest {
  const fields = fieldsOf(query);
  requireJppStream(fields.get('type'));
  const cnew = fields.get('cnew');
  if (cnew !== undefined && !cnew.split(',').includes('http')) throw badParameter('cnew', 'http', cnew);
  /** What a field states; null without it. */
  const stated = <T>(name: string, read: (text: string) => T): T | null => {
    const text = fields.get(name);
    return text === undefined ? null : read(text);
  };
  const [x, y] = stated('roff', (text) => pair('roff', text, '<x>,<y>', 0)) ?? [0, 0];
  const region = stated('rsiz', (text) => pair('rsiz', text, '<width>,<height>', 1));
  const channels = (text: string) =>
    list('cclose', text, /,/, MAX_CHANNELS).map((id) => (id === '*' ? id : channel('cclose', id)));
  return {
    cnew: cnew !== undefined,
    cid: stated('cid', (text) => channel('cid', text)),
    cclose: stated('cclose', channels) ?? [],
    metadata: stated('metareq', metadataOf) ?? 'unspecified',
    streams: streamsOf(fields),
    frameSize: stated('fsiz', frameSizeOf),
    regionOffset: { x, y },
    regionSize: region && { width: region[0], height: region[1] },
    layers: stated('layers', (text) => number('layers', text, 'a number of layers')),
    length: stated('len', (text) => number('len', text, 'a number of bytes')),
    model: stated('model', parseModel) ?? [],
    requestId: stated('qid', (text) => number('qid', text, 'a number')),
    target: fields.get('target') ?? null,
  };
}
