// Invalid values of every parameter of every operation. The values follow from the OpenAPI document, so that a new parameter is
// tested as soon as it is documented.
import { expect, it } from 'vitest';
import { requestableArchive, STATUSES, WITHOUT_HOST } from '../../support/good-requests.ts';

interface ParameterDocument {
  readonly name: string;
  readonly required: boolean;
  readonly schema: {
    readonly type: string | readonly string[];
    readonly format?: string;
    readonly pattern?: string;
    readonly enum?: readonly string[];
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

const { get, good: GOOD } = await requestableArchive();

/** Required parameters whose empty value is valid. */
const MAY_BE_EMPTY = [
  'queueMovie events',
  'getJPXClosestToMidPoint startTimes',
  'getJPXClosestToMidPoint endTimes',
  ...WITHOUT_HOST.flatMap((name) => [`${name} description`, `${name} tags`]),
];

/** Words that stand for an absent optional parameter of these operations. */
const ABSENT_WORDS = ['undefined', 'null', 'NaN'];
const TAKES_ABSENT_WORDS = ['takeScreenshot', 'postScreenshot', 'getSciDataScript'];

const HUGE = '9'.repeat(20_000);

/** Words in another case, and ones with a letter too many. */
const nearWords = (words: readonly string[]) =>
  words.flatMap((word) => [word.toUpperCase(), word.toLowerCase(), `${word}x`]).filter((near) => !words.includes(near));

function badValues({ schema, name }: ParameterDocument): string[] {
  const { type, format, pattern, minimum, maximum, enum: words = [] } = schema;
  const outside = [minimum === undefined ? [] : String(minimum - 1), maximum === undefined ? [] : `${maximum}9`].flat();
  if (type === 'integer')
    return [...outside, 'abc', '1.0', '007', '1e1', '0x10', 'NaN', 'Infinity', '--1', '1 2', 'true', '9'.repeat(400)];
  if (type === 'number') return [...outside, 'abc', 'NaN', 'Infinity', '-Infinity', '1e999', '1,5', '0x10', '1.2.3', '.'];
  if (type === 'boolean') return ['yes', '2', '-1', 'truee', 'null'];
  if (format === 'date-time') {
    return [
      'now',
      '2024-01',
      '2024-01-01T00',
      '2024-02-30T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '24-01-01T00:00:00Z',
      '2024010100',
      '2024-01-01T25:00:00Z',
    ];
  }
  if (pattern) return ['a b', 'a.b', '1a', 'alert(1)', 'ä', 'a'.repeat(65)];
  if (name === 'sources') return ['ten', '10,,4', '10;4', '10.5', '-1', '[]', Array.from({ length: 33 }, (_, i) => i).join()];
  if (name === 'startTimes' || name === 'endTimes')
    return ['now', '1,,4', '1;4', '10.5', '[1', '1e9', '99999999999999', Array.from({ length: 361 }, (_, i) => i).join()];
  if (name === 'event_selections')
    return ['HEK>Flare', '[FL,all,1]', 'FL', '[7]', `HEK>>${'a'.repeat(600)}`, Array(201).fill('HEK').join(';')];
  if (type === 'object') return ['abc', '[]', '{}', '1'];
  if (Array.isArray(type)) return ['abc', '[FL,all]', '[FL,all,2]', '{}'];
  if (name === 'title') return ['<script>', 'a\nb', '\u0000', 'a'.repeat(101), ' '];
  if (name === 'description') return ['a > b', '\u0000', 'ä'.repeat(2501)];
  if (name === 'tags') return ['<b>', 'sun,a\u0007', 'a'.repeat(31)];
  if (type === 'string') return ['<script>', 'a'.repeat(65), '\u0000', 'a;b', ...nearWords(words)];
  throw new Error(`No invalid values are defined for ${name}: add values for parameters of type ${type}.`);
}

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
  return { path, version: version!, name: name!, parameters: parametersOf(described) };
});
const all = operations.flatMap(({ path, version, name, parameters }) =>
  parameters.map((parameter) => ({ path, version, operation: name, parameter, name: parameter.name })),
);
const keyOf = ({ operation, parameter }: (typeof all)[number]) => `${operation} ${JSON.stringify(parameter)}`;
const inV2 = new Set(all.filter(({ version }) => version === 'v2').map(keyOf));
/** Every parameter, those of v1 where it differs from that of v2. */
const cases = all.filter((each) => each.version === 'v2' || !inV2.has(keyOf(each)));

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

it.each(cases.filter(({ parameter }) => parameter.required))('$path requires $name', async (missed) => {
  const { [missed.name]: _missing, ...rest } = GOOD[missed.operation]!;
  const response = await refusal(`${missed.path}?${query(rest)}`);
  expect(response).toMatchObject({ status: 400, errno: 28, parameter: missed.name });
  expect(response.error).toMatch(new RegExp(`^Expected .+ for ${missed.name}, got nothing\\.$`));
});

// One test for all that is wrong with a parameter, because vitest takes as long for a test as the service for a refusal.
it.each(cases)('$path describes $name, refuses what is invalid, and takes the last of several values', async (tested) => {
  const { path, operation, parameter } = tested;
  const good = GOOD[operation]!;
  const { name } = parameter;
  const place = cases.indexOf(tested);
  expect(parameter.schema.description?.length).toBeGreaterThan(5);

  const mayBeEmpty = !parameter.required || MAY_BE_EMPTY.includes(`${operation} ${name}`);
  if (!mayBeEmpty) {
    const response = await refusal(`${path}?${query({ ...good, [name]: '' })}`);
    expect(response).toMatchObject({ status: 400, errno: 25, parameter: name });
    expect(response.error).toMatch(new RegExp(`^Expected .+ for ${name}, got an empty value\\.$`));
  }

  const isAbsent = (value: string) =>
    TAKES_ABSENT_WORDS.includes(operation) && !parameter.required && ABSENT_WORDS.includes(value);
  if (isAbsent('null')) {
    const { [name]: _given, ...rest } = good;
    // A word for each parameter, because one function knows them.
    const word = ABSENT_WORDS[place % ABSENT_WORDS.length]!;
    const [absent, response] = [await get(`${path}?${query(rest)}`), await get(`${path}?${query({ ...rest, [name]: word })}`)];
    expect([response.status, response.headers.get('Content-Type')], `absent as ${word}`).toEqual([
      absent.status,
      absent.headers.get('Content-Type'),
    ]);
  }

  const bad = badValues(parameter).filter((value) => !isAbsent(value));
  // Besides the first ones, the values in turn, because parameters of a type share a parser.
  for (const value of bad.filter((_, i) => i < 4 || (i + place) % 3 === 0)) {
    const response = await refusal(`${path}?${query({ ...good, [name]: value })}`);
    const shown = `the value ${value.slice(0, 40)}`;
    expect(response, shown).toMatchObject({ status: 400, errno: 25, parameter: name });
    const [expected, excluded] = [
      `Expected .+ for ${name}, got .+\\.( Did you mean .+\\?)?`,
      `${name} cannot be combined with x\\. .+`,
    ];
    expect(response.error, shown).toMatch(new RegExp(`^(${expected}|${excluded})$`, 'u'));
    expect(response.error.length, shown).toBeLessThan(260);
    expect(response.error, shown).not.toMatch(/[\p{Cc}]/u);
  }

  const long = await refusal(`${path}?${query({ ...good, [name]: HUGE })}`);
  expect(long, 'a value that is too long').toMatchObject({ status: 400, errno: 25, parameter: name });
  expect(long.error.length).toBeLessThan(200);

  expect(await refusal(`${path}?${query({ ...good })}&${query({ [name]: bad[0]! })}`), 'the last').toMatchObject({
    parameter: name,
  });
  const last = await get(`${path}?${query({ ...good, [name]: bad[0]! })}&${query({ [name]: good[name] ?? '' })}`);
  expect(last.status, 'the last of several values').toBe(STATUSES[operation] ?? 200);

  if ([parameter.schema.type].flat().includes('object')) return;
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ...good, [name]: {} }) };
  const response = await get(path, init);
  expect(response.status, 'an object').toBe(400);
  expect(await response.json()).toMatchObject({ parameter: name, error: expect.stringMatching(/, got an object\.$/) });
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
