// Invalid values of every parameter of every operation. The values follow from the OpenAPI document, so that a new parameter is
// tested as soon as it is documented.
import { describe, expect, it } from 'vitest';
import { MOVIE, movieArchive } from '../../support/movies/movie-archive.ts';
import { WEB_CLIENT_REQUESTS, WEB_CLIENT_STATUSES } from '../../support/web-client-requests.ts';

interface ParameterDocument {
  readonly name: string;
  readonly required: boolean;
  readonly schema: {
    readonly type: string | readonly string[];
    readonly format?: string;
    readonly pattern?: string;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly description?: string;
  };
}
interface OperationDocument {
  readonly parameters?: ParameterDocument[];
  readonly requestBody?: { content: Record<string, { schema: BodySchema }> };
  readonly responses: Readonly<Record<string, unknown>>;
}
interface BodySchema {
  readonly properties: Readonly<Record<string, ParameterDocument['schema']>>;
  readonly required?: readonly string[];
}
type OpenApiDocument = { paths: Record<string, { get?: OperationDocument; post?: OperationDocument }> };

const SCREENSHOT = {
  date: '2024-01-01T00:00:00Z',
  imageScale: '9.6',
  layers: '[10,1,100]',
  x0: '0',
  y0: '0',
  width: '9',
  height: '9',
};

const archive = movieArchive();
const { get } = archive;
const FINISHED = { id: await archive.queue(), format: 'mp4' };
await archive.build();

/** Operations that are disabled here, because no video host is configured. */
const WITHOUT_HOST = ['getVideoHostAuth', 'getYouTubeAuth', 'uploadMovieToVideoHost', 'uploadMovieToYouTube'];

/** Parameters whose empty value is valid. */
const MAY_BE_EMPTY = [
  'takeScreenshot events',
  'postScreenshot events',
  'queueMovie events',
  'postMovie events',
  'getJPXClosestToMidPoint startTimes',
  'getJPXClosestToMidPoint endTimes',
  ...WITHOUT_HOST.flatMap((name) => [`${name} description`, `${name} tags`]),
];

const VIDEO = { id: 'bcdfghjk', title: 'A day of the Sun', description: '', tags: '' };

/** Statuses of valid requests other than 200. */
const STATUSES: Readonly<Record<string, number>> = {
  ...Object.fromEntries(WITHOUT_HOST.map((name) => [name, 400])),
  // The link does not exist.
  goto: 404,
  // The movie exists already.
  reQueueMovie: 409,
  ...WEB_CLIENT_STATUSES,
};

/** A valid request of every operation. */
const GOOD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  getClosestImage: { date: '2024-01-01T00:00:00Z', sourceId: '10' },
  getClosestImageDatesForSources: { date: '2024-01-01T00:00:00Z', sources: '10,4' },
  getDataSources: {},
  getJP2Header: { id: '26' },
  getJP2Image: { date: '2024-01-01T00:00:00Z', sourceId: '10' },
  getJPX: { startTime: '2024-01-01T00:00:00Z', endTime: '2024-01-01T00:05:00Z', sourceId: '10' },
  getJPXClosestToMidPoint: { startTimes: '1704067190', endTimes: '1704067210', sourceId: '10' },
  getStatus: {},
  getTile: { id: '26', x: '0', y: '0', imageScale: '2.5' },
  downloadImage: { id: '26' },
  getEclipseImage: {},
  events: { startTime: '2024-01-01T00:00:00Z' },
  takeScreenshot: SCREENSHOT,
  postScreenshot: SCREENSHOT,
  downloadScreenshot: { id: '1' },
  queueMovie: MOVIE,
  postMovie: MOVIE,
  reQueueMovie: { id: FINISHED.id },
  getMovieStatus: FINISHED,
  downloadMovie: FINISHED,
  playMovie: FINISHED,
  shortenURL: { queryString: '?date=2024-01-01T00:00:00Z' },
  goto: { id: '0123456789abcdef' },
  getNewsFeed: {},
  checkVideoHostAuth: {},
  checkYouTubeAuth: {},
  getVideoHostAuth: VIDEO,
  getYouTubeAuth: VIDEO,
  uploadMovieToVideoHost: VIDEO,
  uploadMovieToYouTube: VIDEO,
  getUserVideos: {},
  ...WEB_CLIENT_REQUESTS,
};

const HUGE = '9'.repeat(20_000);

function badValues({ schema, name }: ParameterDocument): string[] {
  const { type, format, pattern, minimum, maximum } = schema;
  const outside = [minimum === undefined ? [] : String(minimum - 1), maximum === undefined ? [] : `${maximum}9`].flat();
  if (type === 'integer')
    return ['abc', '1.0', '007', '1e1', '0x10', 'NaN', 'Infinity', '--1', '1 2', 'true', '9'.repeat(400), ...outside];
  if (type === 'number') return ['abc', 'NaN', 'Infinity', '-Infinity', '1e999', '1,5', '0x10', '1.2.3', '.', ...outside];
  if (type === 'boolean') return ['yes', '2', '-1', 'truee', 'null'];
  if (format === 'date-time') {
    return [
      'now',
      '2024-01-01',
      '2024-01-01T00:00:00',
      '2024-02-30T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '24-01-01T00:00:00Z',
      '1704067200',
      '2024-01-01T25:00:00Z',
    ];
  }
  if (pattern) return ['a b', 'a.b', '1a', 'alert(1)', 'ä', 'a'.repeat(65)];
  if (name === 'sources') return ['ten', '10,,4', '10;4', '10.5', '-1', '[]', Array.from({ length: 33 }, (_, i) => i).join()];
  if (name === 'startTimes' || name === 'endTimes')
    return ['now', '1,,4', '1;4', '10.5', '[1', '1e9', '99999999999999', Array.from({ length: 361 }, (_, i) => i).join()];
  if (type === 'object') return ['abc', '[]', '{}', '1'];
  if (Array.isArray(type)) return ['abc', '[FL,all]', '[FL,all,2]', '{}'];
  if (name === 'title') return ['<script>', 'a\nb', '\u0000', 'a'.repeat(101), ' '];
  if (name === 'description') return ['a > b', '\u0000', 'ä'.repeat(2501)];
  if (name === 'tags') return ['<b>', 'sun,a\u0007', 'a'.repeat(31)];
  if (type === 'string') return ['<script>', 'a'.repeat(65), '\u0000', 'a;b'];
  throw new Error(`No invalid values are defined for ${name}: add values for parameters of type ${type}.`);
}

await get(`/v2/takeScreenshot/?${query(SCREENSHOT)}`);
const document = (await (await get('/v2/openapi.json')).json()) as OpenApiDocument;

function parametersOf({ parameters = [], requestBody }: OperationDocument): readonly ParameterDocument[] {
  const body = requestBody?.content['application/json']?.schema;
  if (!body) return parameters;
  return Object.entries(body.properties).map(([name, schema]) => ({
    name,
    schema,
    required: body.required?.includes(name) ?? false,
  }));
}

const operations = Object.entries(document.paths).map(([path, { get: asGet, post }]) => {
  const [, version, name] = path.split('/');
  const described = (asGet ?? post)!;
  const statuses = Object.keys(described.responses);
  return { path, version: version!, name: name!, parameters: parametersOf(described), statuses };
});
const cases = operations.flatMap(({ path, name, parameters }) =>
  parameters.map((parameter) => ({ path, operation: name, parameter, name: parameter.name })),
);

function query(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString();
}

async function refusal(url: string): Promise<{ status: number; error: string; errno: number; parameter?: string }> {
  const response = await get(url);
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  return { status: response.status, ...((await response.json()) as { error: string; errno: number; parameter?: string }) };
}

it('the OpenAPI document has every operation in v2, and those of v1 in v1', () => {
  const inV2 = operations.filter(({ version }) => version === 'v2').map(({ name }) => name);
  expect(inV2.sort()).toEqual(Object.keys(GOOD).sort());
  expect(operations.filter(({ version }) => version === 'v1').map(({ name }) => name)).toContain('getTile');
});

it.each(operations)('$path accepts a valid request with a documented status', async ({ path, name, statuses }) => {
  const response = await get(`${path}?${query(GOOD[name]!)}`);
  expect(response.status).toBe(STATUSES[name] ?? 200);
  expect(statuses).toContain(String(response.status));
});

it.each(cases.filter(({ parameter }) => parameter.required))('$path requires $name', async (missed) => {
  const { [missed.name]: _missing, ...rest } = GOOD[missed.operation]!;
  const response = await refusal(`${missed.path}?${query(rest)}`);
  expect(response).toMatchObject({ status: 400, errno: 28, parameter: missed.name });
  expect(response.error).toMatch(new RegExp(`^Expected .+ for ${missed.name}, got nothing\\.$`));
});

describe.each(cases)('$path: $name', ({ path, operation, parameter }) => {
  const good = GOOD[operation]!;
  const { name } = parameter;

  it('has a description', () => {
    expect(parameter.schema.description?.length).toBeGreaterThan(5);
  });

  it.skipIf(MAY_BE_EMPTY.includes(`${operation} ${name}`))('is rejected when empty', async () => {
    const response = await refusal(`${path}?${query({ ...good, [name]: '' })}`);
    expect(response).toMatchObject({ status: 400, errno: 25, parameter: name });
    expect(response.error).toMatch(new RegExp(`^Expected .+ for ${name}, got an empty value\\.$`));
  });

  it.each(badValues(parameter))('is rejected with the value %s', async (value) => {
    const response = await refusal(`${path}?${query({ ...good, [name]: value })}`);
    expect(response).toMatchObject({ status: 400, errno: 25, parameter: name });
    expect(response.error).toMatch(new RegExp(`^Expected .+ for ${name}, got .+\\.$`, 'u'));
    expect(response.error.length).toBeLessThan(260);
    expect(response.error).not.toMatch(/[\p{Cc}]/u);
  });

  it('is rejected when it is too long', async () => {
    const response = await refusal(`${path}?${query({ ...good, [name]: HUGE })}`);
    expect(response).toMatchObject({ status: 400, errno: 25, parameter: name });
    expect(response.error.length).toBeLessThan(200);
  });

  it('is rejected when it is repeated, with equal or different values', async () => {
    const value = good[name] ?? '1';
    for (const second of [value, `${value}1`]) {
      const response = await refusal(`${path}?${query({ ...good, [name]: value })}&${query({ [name]: second })}`);
      expect(response).toMatchObject({
        status: 400,
        errno: 25,
        parameter: name,
        error: `Expected one value for ${name}, got 2.`,
      });
    }
  });

  const takesObjects = [parameter.schema.type].flat().includes('object');
  it.skipIf(takesObjects)('is rejected as an object in a JSON body', async () => {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...good, [name]: {} }),
    };
    const response = await get(path, init);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ parameter: name, error: expect.stringMatching(/, got an object\.$/) });
  });
});

it.each([
  ['date', 'sourceId=10'],
  ['sourceId', 'date=2024-01-01T00:00:00Z'],
])('getJP2Image requires %s without an id', async (parameter, rest) => {
  expect(await refusal(`/v2/getJP2Image/?${rest}`)).toMatchObject({ status: 400, errno: 28, parameter });
});

it('unknown parameters are ignored, even if they are invalid or repeated', async () => {
  const response = await get(`/v2/getStatus/?_=1704067200&date=x&date=y&__proto__=1&constructor=2&${query({ huge: HUGE })}`);
  expect(response.status).toBe(200);
});

it.each(['true', 'TRUE', 'True', '1'])('%s is read as true', async (value) => {
  const response = await get(`/v2/getJP2Image/?id=26&jpip=${value}`);
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
});

it.each(['false', 'FALSE', 'False', '0'])('%s is read as false', async (value) => {
  const response = await get(`/v2/getJP2Image/?id=26&jpip=${value}`);
  expect(response.headers.get('Content-Type')).toBe('image/jp2');
});
