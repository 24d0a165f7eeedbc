import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/routes/operations.ts';
import { requestableArchive } from '../../support/good-requests.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { growthAboveLinear } from './detector.ts';
import { addressFields, type Field, HEADERS, headerFields, jpipFields, operationFields } from './fields.ts';
import { describeText, drawTexts, textOfLength } from './texts.ts';

const SEARCH = { lengths: [16, 160, 1600], floor: 100 };

/** Steps of a search for the end of blanks from every character, as of `\s*$` without an anchor. */
function stepsFromEachCharacter(text: string): number {
  let steps = 0;
  for (let from = 0; from < text.length; from++) {
    for (let at = from; text[at] === ' '; at++) steps += 1;
    steps += 1;
  }
  return steps;
}

describe('the detector of growth', () => {
  const blanks = (length: number) => `${' '.repeat(length)}x`;

  it('finds cost in the square of the length, with the least of several runs at n, 2n and 4n', async () => {
    expect(await growthAboveLinear((length) => stepsFromEachCharacter(blanks(length)), SEARCH)).toEqual({
      lengths: [4, 8, 16],
      costs: [15, 45, 153],
    });
  });

  it('finds the square behind a constant cost that is larger', async () => {
    const growth = await growthAboveLinear((length) => 50_000 + stepsFromEachCharacter(blanks(length)), SEARCH);
    expect(growth?.lengths).toEqual([4, 8, 16]);
  });

  it('finds the square that begins at longer inputs, and the cube', async () => {
    const beyond = (length: number) => stepsFromEachCharacter(blanks(length > 100 ? length : 0));
    expect((await growthAboveLinear(beyond, SEARCH))?.lengths).toEqual([40, 80, 160]);
    expect((await growthAboveLinear((length) => length ** 3, SEARCH))?.costs).toEqual([64, 512, 4096]);
  });

  it.each<[string, (length: number) => number]>([
    ['constant cost', () => 1000],
    ['linear cost', (length) => 1000 + 7 * length],
    ['cost of sorting', (length) => 10 * length * Math.log2(length + 2)],
    ['the square below the floor', (length) => length ** 2 / 100_000],
    ['a cost that a limit ends', (length) => (length > 8 ? 200 : length ** 2)],
  ])('does not find %s', async (_, cost) => {
    expect(await growthAboveLinear(cost, SEARCH)).toBeNull();
  });

  it('finds the square in spite of an interruption of a run at half the length', async () => {
    let runs = 0;
    const cost = (length: number) => length ** 2 + (runs++ === 1 ? 10_000_000 : 0);
    expect((await growthAboveLinear(cost, { lengths: [1600], floor: 100 }))?.lengths).toEqual([400, 800, 1600]);
  });

  it('does not find linear cost with interruptions of every third run', async () => {
    let runs = 0;
    const cost = (length: number) => 7 * length + (runs++ % 3 === 0 ? 10_000 : 0);
    expect(await growthAboveLinear(cost, SEARCH)).toBeNull();
  });

  it('measures again before it reports', async () => {
    let runs = 0;
    const cost = (length: number) => (runs++ < 12 ? length ** 2 : length);
    expect(await growthAboveLinear(cost, SEARCH)).toBeNull();
  });
});

describe('hostile texts', () => {
  const texts = Array.from({ length: 50 }, (_, seed) => drawTexts(randomNumbers(seed), 'FL--SWPC--abc')).flat();

  it('repeat the marks of a valid value behind a part of it, and end in what fails late', () => {
    expect(texts).toContainEqual({ start: 'FL--', piece: '--', end: '\nx' });
    expect(texts).toContainEqual({ start: 'FL--SWPC', piece: ' ', end: '\nx' });
  });

  it('grow with the length', () => {
    for (const text of texts) {
      const [short, long] = [textOfLength(text, 1000).length, textOfLength(text, 4000).length];
      expect([long - short, describeText(text)]).toEqual([expect.closeTo(3000, -2), expect.stringContaining(' × n + ')]);
    }
  });
});

/** Names of request headers in the source, from `headers.get('Range')` and `c.req.header('Range')`. */
function headersInSource(): Set<string> {
  const root = join(import.meta.dirname, '../../../src');
  const files = ['http', 'composition', 'routes'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
  );
  const texts = files.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(file, 'utf8'));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/(?:headers\.(?:get|has)|req\.header)\('([^']+)'\)/g)].map((match) => match[1]!)),
  );
}

/** Headers of responses of the service and its platform, which the same code reads. */
const OF_RESPONSES = [
  'Cache-Control',
  'Cf-Cache-Status',
  'Content-Range',
  'Content-Security-Policy',
  'CDN-Cache-Control',
  'ETag',
  'Last-Modified',
  'Retry-After',
  'Set-Cookie',
  'Vary',
  'X-Notice',
];

describe('the growth target', async () => {
  const archive = await requestableArchive();
  const fields = operationFields(archive);
  const namesOf = (some: readonly Field[]) => new Set(some.map(({ name }) => name));

  it('sends every header that the source reads', () => {
    const read = [...headersInSource()].filter((name) => !OF_RESPONSES.includes(name));
    expect(read).toContain('Range');
    expect(read.filter((name) => !(name in HEADERS))).toEqual([]);
    expect([...namesOf(headerFields(archive))]).toEqual(Object.keys(HEADERS));
  });

  it('fills every parameter of every operation in a query, a form, parts and JSON', () => {
    const places = new Set(fields.map(({ where }) => where));
    for (const { name: operation, shapes } of operations.values()) {
      for (const name of Object.keys(shapes.v2 ?? {})) {
        const path = `/v2/${operation}/`;
        const forms = [`GET ${path} ${name}`, `POST ${path} ${name} in a form`, `POST ${path} ${name} in parts`];
        expect(forms.filter((form) => !places.has(form))).toEqual([]);
        expect([...places].some((place) => place.startsWith(`POST ${path} ${name}`) && !/ in (a form|parts)$/.test(place))).toBe(
          true,
        );
      }
    }
    expect(places).toContain('POST /v2/postMovie/ eventsState.tree_HEK.layers.0.event_instances.0');
    expect([...namesOf(jpipFields())]).toEqual(
      expect.arrayContaining(['fsiz', 'model', 'metareq', 'context', 'cid', 'cclose', 'target']),
    );
  });

  it('reads the address of the explorer', async () => {
    const field = addressFields().find(({ name }) => name === 'imageLayers')!;
    const [request] = field.requests({ start: '', piece: '[10,1,100],', end: '' }, 5);
    const response = await archive.app.request(request!);
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ title: expect.stringContaining('AIA 171') }),
    ]);
  });

  it('puts the text where the field says', async () => {
    const text = { start: 'AR--', piece: '-', end: '\nx' };
    const sent = async (where: string) => {
      const [request] = fields.find((field) => field.where === where)!.requests(text, 5);
      return [request!.url, await request!.text()];
    };
    expect((await sent('GET /v2/getClosestImage/ date'))[0]).toContain('date=AR-------%0Ax');
    expect((await sent('POST /v2/postMovie/ eventsState.tree_HEK.layers.0.event_instances.0'))[1]).toContain(
      '"event_instances":["AR-------\\nx"]',
    );
  });
});
