// The tools of the Model Context Protocol: operations with the parameters and the responses that suit a conversation.
import type { ToolArguments, Toolbox, ToolResult } from '../../platform/http/mcp.ts';
import { openApiDocument } from '../../platform/http/openapi/document.ts';
import { type ErrorBody, integer, type ParameterShape, parseParameters, queryText } from '../../platform/http/parameters.ts';
import { MCP } from '../../platform/limits/http.ts';
import { toBase64 } from '../../platform/util/bytes.ts';
import { badParameter, didYouMean, Failure, shown } from '../../platform/util/errors.ts';
import { nearestWord } from '../../platform/util/nearest-word.ts';
import { operations } from '../operations.ts';
import { layerOperations, plainOperations } from '../pictures/scene-parameters.ts';
import type { ServiceOperation } from '../services.ts';

export const MCP_PATH = '/mcp';

const INSTRUCTIONS =
  'Images, movies and events of the Sun from many spacecraft and observatories. Times are UTC. getDataSources has the numbers of the ' +
  'datasources (10 is AIA 171, 4 is LASCO C2, 18 is the HMI continuum, 19 its magnetogram). getClosestImage finds the image of a time, ' +
  'whose date may be far from the requested one; downloadImage shows it by its id, and takeScreenshot shows any part of the Sun, with up ' +
  'to five layers and events. queueMovie returns at once; getMovieStatus has the address of the movie when it is finished.';

interface Tool {
  /** Names of those parameters of the operation that the tool has as they are. */
  readonly parameters: readonly string[];
  /** Parameters with narrower limits or other defaults than those of the operation. Unset: none. */
  readonly own?: ParameterShape;
  /** Values of parameters that the tool does not have. Unset: none. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** In place of the operation's own, which may name parameters that the tool lacks. */
  readonly description?: string;
  /** Whether the tool adds something that others see. Unset: false. */
  readonly adds?: true;
  /** The part of a JSON body that a model needs. Unset: all. */
  readonly shortened?: (body: unknown) => unknown;
}

const side = (name: string) =>
  integer(`${name} in pixels of the picture around x0, y0. Unset: ${MCP.pictureSide / 2}.`, {
    min: 1,
    max: MCP.pictureSide,
  }).default(MCP.pictureSide / 2);

const FIELD = {
  parameters: [
    'layers',
    'imageScale',
    'x0',
    'y0',
    'events',
    'eventLabels',
    'grid',
    'switchSources',
    'projection',
    ...Object.keys(layerOperations),
  ],
  own: { width: side('Width'), height: side('Height') },
} as const;

/** Members of an event that a model reads: a busy day has hundreds of events, each of several kilobytes. */
const EVENT_MEMBERS = ['path', 'short_label', 'start', 'peak', 'end', 'hv_hpc_x', 'hv_hpc_y', 'visible'];

const shortEvent = (event: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(EVENT_MEMBERS.map((name) => [name, event[name]]));

const TOOLS: Readonly<Record<string, Tool>> = {
  getDataSources: { parameters: [] },
  getClosestImage: { parameters: ['date', 'sourceId', 'switchSources'] },
  downloadImage: {
    parameters: ['id', ...Object.keys(plainOperations)],
    fixed: { type: 'jpg', width: String(MCP.imageWidth) },
    description: `A JPEG, ${MCP.imageWidth} pixels wide. takeScreenshot shows parts of it in full resolution.`,
  },
  takeScreenshot: {
    parameters: ['date', ...FIELD.parameters],
    own: FIELD.own,
    fixed: { display: 'true' },
    description:
      'A PNG of up to five layers, from the bottom to the top, each with its image nearest to `date`. The field of view is given by its ' +
      'centre x0, y0 (y is downward; 0, 0 is the centre of the Sun), its width and height in pixels, and arcseconds per pixel: 4.84 with ' +
      '512 pixels shows the whole Sun, whose radius is about 960 arcseconds.',
  },
  events: {
    parameters: ['startTime', 'sources'],
    fixed: { format: 'flat' },
    shortened: (body) => (body as readonly Readonly<Record<string, unknown>>[]).map(shortEvent),
  },
  getDataGaps: { parameters: ['sourceId', 'startTime', 'endTime'] },
  getImageHeader: { parameters: ['id'] },
  getValue: { parameters: ['id', 'date', 'sourceId', 'x', 'y', 'frame', 'size', 'raw'] },
  getLightCurve: {
    parameters: [
      ...['sourceId', 'startTime', 'endTime', 'cadence', 'x', 'y', 'width', 'height', 'circle', 'polygon', 'frame'],
      ...['track', 'trackFrom', 'statistics', 'threshold', 'raw'],
    ],
    fixed: { format: 'json' },
  },
  queueMovie: {
    parameters: ['startTime', 'endTime', ...FIELD.parameters, 'frameRate', 'maxFrames'],
    own: FIELD.own,
    adds: true,
    description:
      'A movie has a frame for each image of its richest layer. Poll getMovieStatus with the `id` until the status is 2. Equal requests ' +
      'share one movie. The field of view is given as for takeScreenshot; `eventLabels` is required with `events`.',
  },
  getMovieStatus: { parameters: ['id', 'wait'], fixed: { format: 'mp4' } },
};

export const TOOL_NAMES: readonly string[] = Object.keys(TOOLS);

/** The operation with the parameters of the tool, and without responses, which the list of tools does not describe. */
function asOperation(name: string, { parameters, own = {} }: Tool): ServiceOperation {
  const operation = operations.get(name)!;
  const shape = operation.shapes.v2!;
  const v2 = { ...Object.fromEntries(parameters.map((parameter) => [parameter, shape[parameter]!])), ...own };
  return { ...operation, shapes: { v2 }, responses: {}, otherResponses: {}, method: 'get' };
}

/** Definitions of the tools: the schemas are those of the OpenAPI document. */
function definitions(): readonly object[] {
  const made = Object.entries(TOOLS).map(([name, tool]) => asOperation(name, tool));
  const { paths } = openApiDocument(made, { origin: '', tags: [] });
  return made.map(({ name, summary, description }) => {
    const { adds, description: own } = TOOLS[name]!;
    const documented = paths[`/v2/${name}/`]?.get?.parameters ?? [];
    return {
      name,
      title: name,
      description: `${summary} ${own ?? description}`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(documented.map((parameter) => [parameter.name, parameter.schema])),
        required: documented.filter(({ required }) => required).map((parameter) => parameter.name),
        additionalProperties: false,
      },
      annotations: { readOnlyHint: !adds, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    };
  });
}

let listed: readonly object[] | undefined;

/** The query of a call. @throws Failure for a parameter that the tool does not have or whose limits it narrows, and for an object */
function queryOf({ parameters, own = {}, fixed = {} }: Tool, given: ToolArguments): URLSearchParams {
  const known = [...parameters, ...Object.keys(own)];
  const values: [string, string][] = [];
  const raw = new Map<string, readonly unknown[]>();
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) {
      const nearest = nearestWord(name, known);
      const others = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`;
      const meant = didYouMean(nearest === null ? undefined : { value: nearest });
      throw new Failure('bad-parameter', `This tool has no parameter ${shown(name)}. ${others}${meant}`, { parameter: name });
    }
    const text = queryText(value);
    if (typeof text === 'object' && text !== null) throw badParameter(name, 'a text, a number, true or false', text);
    raw.set(name, [text]);
    if (text !== null && !Object.hasOwn(own, name)) values.push([name, String(text)]);
  }
  const narrowed = Object.entries(parseParameters(own, raw, false)).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams([...values, ...narrowed, ...Object.entries(fixed)]);
}

const text = (sentence: string) => ({ type: 'text', text: sentence }) as const;
const failed = (sentence: string): ToolResult => ({ content: [text(sentence)], isError: true });
/** Result for a streamed response that was cut off. */
const brokenOff = failed('The response broke off. Try again in a few seconds.');

/** The sentence of a failure, with the parameter at fault where the sentence does not name it. */
function failureText({ error, parameter }: Partial<Pick<ErrorBody, 'error' | 'parameter'>>, retryAfter: string | null): string {
  const sentence = error ?? 'The operation failed.';
  const named = parameter === undefined || sentence.includes(parameter) ? '' : ` The parameter at fault is ${parameter}.`;
  return `${sentence}${named}${retryAfter === null ? '' : ` Retry-After: ${retryAfter} s.`}`;
}

/** Headers of pictures that say what they show. */
const PICTURE_FACTS = ['X-Image-Date', 'X-Image-Distance', 'X-Image-Scale', 'X-Layer-Images', 'X-Layers-Far', 'X-Events-Sources'];

async function resultOf(response: Response, address: string, { shortened }: Tool): Promise<ToolResult> {
  const { headers } = response;
  const notice = headers.get('X-Notice');
  const notices = notice === null ? [] : [text(notice)];
  const type = headers.get('Content-Type') ?? '';
  if (response.ok && type.startsWith('image/')) {
    const facts = PICTURE_FACTS.flatMap((name) => (headers.has(name) ? [`${name}: ${headers.get(name)}`] : []));
    const bytes = await response.bytes().catch(() => null);
    if (!bytes) return brokenOff;
    const picture = { type: 'image', data: toBase64(bytes), mimeType: type } as const;
    return { content: [picture, text([address, ...facts].join('\n')), ...notices] };
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (body === undefined) return brokenOff;
  const isFailure = !response.ok || (typeof body === 'object' && body !== null && Object.hasOwn(body, 'error'));
  if (isFailure) return failed(failureText(body as ErrorBody, headers.get('Retry-After')));
  const json = JSON.stringify(shortened ? shortened(body) : body);
  if (json.length > MCP.textCharacters) {
    return failed(
      `The response has ${json.length} characters, and a tool returns at most ${MCP.textCharacters}. Ask for less: ${address}`,
    );
  }
  return { content: [text(json), ...notices] };
}

/** The tools for a client. @param request Sends a GET as the client does, through the limits and the cache of the service */
export function toolbox(origin: string, request: (address: string) => Promise<Response>): Toolbox {
  return {
    instructions: INSTRUCTIONS,
    list: () => (listed ??= definitions()),
    async call(name, given) {
      const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
      if (!tool) return null;
      let query: URLSearchParams;
      try {
        query = queryOf(tool, given);
      } catch (error) {
        if (error instanceof Failure) return failed(failureText({ error: error.message, parameter: error.parameter }, null));
        throw error;
      }
      const address = `${origin}/v2/${name}/?${query}`;
      return resultOf(await request(address), address, tool);
    },
  };
}
