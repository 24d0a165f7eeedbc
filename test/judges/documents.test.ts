// Documents of the interfaces before the readers and validators of others.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { importPackage, PACKAGES } from './packages.ts';
import { jsonOf, responseOf, service, verdict } from './verdicts.ts';

const run = promisify(execFile);
const NOONS = ['2024-05-07T12', '2024-05-08T12', '2024-05-09T12', '2024-05-10T12', '2024-05-10T13', '2024-05-10T14'];

it('the strict reader of IIIF Presentation 3 gives no warning for the manifest of a day, and one for a manifest with a mistake', async () => {
  const { presentation3StrictUpgrade } = await importPackage('@iiif/parser/dist/strict.js');
  const warningsOf = (manifest: object): string[] => {
    const state = { warnings: [] };
    presentation3StrictUpgrade(structuredClone(manifest), state);
    return state.warnings;
  };
  const manifest = await jsonOf('/iiif/manifests/10/2024-05-10.json');
  expect(manifest.items).toHaveLength(3);
  expect(warningsOf({ ...manifest, label: 'AIA 171' })).toHaveLength(1);
  const warnings = warningsOf(manifest);
  verdict('@iiif/parser', `${warnings.length} warnings`);
  expect(warnings).toEqual([]);
});

it('the strict reader of IIIF Presentation 3 finds an image service of level 2', async () => {
  const { getImageServiceLevel, supports } = await importPackage('@iiif/parser/dist/image-3.js');
  const { items } = await jsonOf('/iiif/manifests/10/2024-05-10.json');
  const info = await jsonOf(`${items[0].items[0].items[0].body.service[0].id.slice(service.length)}/info.json`);
  expect(getImageServiceLevel(info)).toBe(2);
  expect(supports(info, { profile: 'level2' })).toEqual([true]);
});

it.each([
  ['atom', 'atom'],
  ['json', 'json'],
])('a reader of feeds reads the newest images from the feed in %s', async (type, format) => {
  const { parseFeed } = await importPackage('feedsmith/dist/index.mjs');
  const read = parseFeed(await (await responseOf(`/feeds/10.${type}`)).text());
  const entries = read.feed.entries ?? read.feed.items;
  verdict('feedsmith', `${read.format} feed with ${entries.length} entries`);
  expect(read.format).toBe(format);
  const times = entries.map((entry: Record<string, string>) => entry.published ?? entry.date_published);
  expect(times).toEqual(NOONS.toReversed().map((hour) => expect.stringContaining(hour)));
});

it('a reader of feeds reads the same events from both formats', async () => {
  const { parseFeed } = await importPackage('feedsmith/dist/index.mjs');
  const [atom, json] = await Promise.all(
    ['atom', 'json'].map(async (type) => parseFeed(await (await responseOf(`/feeds/events/FL.${type}`)).text()).feed),
  );
  verdict('feedsmith', `${json.title}: ${json.items.length} entries`);
  expect(atom.entries).not.toHaveLength(0);
  expect(atom.entries.map(({ id }: { id: string }) => id)).toEqual(json.items.map(({ id }: { id: string }) => id));
});

it.each(['/feeds/10.json', '/feeds/events/FL.json'])(
  'the JSON schema of JSON Feed 1.1 finds %s valid, and feeds with mistakes invalid',
  async (path) => {
    const { default: schema } = await importPackage('jsonfeed-schema/v1.1.js');
    const { default: addFormats } = await importPackage('ajv-formats/dist/index.js');
    const ajv = new Ajv({ allErrors: true });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    const feed = await jsonOf(path);
    const { items } = feed;
    expect(items).not.toHaveLength(0);
    validate(feed);
    verdict(
      'jsonfeed-schema',
      `${path} ${validate.errors ? ajv.errorsText(validate.errors) : 'is valid'}, ${items.length} items`,
    );
    expect(validate.errors).toBeNull();
    expect(validate({ ...feed, version: '1.1' })).toBe(false);
    expect(validate({ ...feed, items: items.map(({ id: _, ...item }: Record<string, unknown>) => item) })).toBe(false);
  },
);

/** All items from an address on, by the links of a client of STAC. */
async function itemsFrom(address: string): Promise<{ id: string; objectType: string }[]> {
  const { default: create } = await importPackage('stac-js/src/index.js');
  const page = create(await (await fetch(address)).json(), false, false);
  const next = page.links.find(({ rel }: { rel: string }) => rel === 'next')?.href;
  const items = page.features.map((item: { id: string; getObjectType(): string }) => ({
    id: item.id,
    objectType: item.getObjectType(),
  }));
  return next ? [...items, ...(await itemsFrom(next))] : items;
}

it('a client of STAC reads a collection, and its items page by page', async () => {
  const { default: create } = await importPackage('stac-js/src/index.js');
  const collection = create(await jsonOf('/stac/collections/source-10'), false, false);
  expect([collection.getObjectType(), collection.id]).toEqual(['Collection', 'source-10']);
  const items = await itemsFrom(`${service}/stac/collections/source-10/items?limit=1`);
  verdict('stac-js', `a ${collection.getObjectType()} with ${items.length} items on as many pages`);
  expect(items.map(({ objectType }) => objectType)).toEqual(NOONS.map(() => 'Item'));
  expect(new Set(items.map(({ id }) => id)).size).toBe(NOONS.length);
});

/** Schemas of STAC 1.1 and of its extensions, which no registry of packages has: a folder with the files by their names. */
const SCHEMAS = process.env.STAC_SCHEMAS;

/** The file of a schema: those of extensions, which are all called `schema.json`, by the extension. */
const schemaFile = (address: string) =>
  /stac-extensions\.github\.io\/(\w+)\//.exec(address)?.[1]?.concat('.json') ?? address.split('/').at(-1)!;

it.skipIf(!SCHEMAS)('stac-node-validator finds catalogue, collections and items valid (needs STAC_SCHEMAS)', async () => {
  const { default: validate } = await importPackage('stac-node-validator/src/index.js');
  const loader = async (address: string) => JSON.parse(await readFile(join(SCHEMAS!, schemaFile(address)), 'utf8'));
  const { collections } = await jsonOf('/stac/collections');
  const { features } = await jsonOf('/stac/search');
  const objects = [await jsonOf('/stac'), ...collections, ...features];
  const { children } = await validate(objects, { loader });
  const invalid = children.filter(({ valid }: { valid: boolean }) => !valid);
  verdict('stac-node-validator', `${children.length - invalid.length} valid, ${invalid.length} invalid`);
  expect(invalid.map(({ id, results }: { id: string; results: object }) => ({ id, results }))).toEqual([]);
  expect((await validate({ ...features[0], assets: 1 }, { loader })).valid).toBe(false);
  const wrong = { ...features[0], properties: { ...features[0].properties, 'proj:shape': [1] } };
  expect((await validate(wrong, { loader })).valid).toBe(false);
});

/** A checkout of hapi-server/verifier-nodejs with its packages and schemas, which no registry has. */
const VERIFIER = process.env.HAPI_VERIFIER;

/** One of each kind. */
const DATASETS = [
  'images_10',
  'days_10',
  'lightcurve_10',
  'events_FL',
  'event_list_FL',
  'event_list_C3_CE',
  'xray_flux',
  'AIA_171',
];

it.skipIf(!VERIFIER).each(DATASETS)('the verifier of HAPI finds no error in %s (needs HAPI_VERIFIER)', async (dataset) => {
  // Counts the events of the last month, of which lists have their sample.
  const [, pin] = /^event_list_(\w\w)/.exec(dataset) ?? [];
  const stop = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const [from, to] = [stop - 30 * DAY_MS, stop].map((ms) => new Date(ms).toISOString());
  if (pin) await responseOf(`/hapi/data?dataset=events_${pin}&start=${from}&stop=${to}`);
  const root = /^[A-Z]/.test(dataset) ? '/hapi/Helioviewer/hapi' : '/hapi';
  const args = ['verify.js', '--url', service + root, '--dataset', dataset];
  // The verifier ends with 1 when a check fails.
  const { stdout } = await run(process.execPath, args, { cwd: VERIFIER, maxBuffer: 64 * 1024 * 1024 }).catch((error) => error);
  const words = /Pass: .*Fail: \d+/.exec(stdout)?.[0] ?? String(stdout).slice(-2_000);
  verdict(`HAPI verifier, ${dataset}`, words);
  expect(words, stdout).toMatch(/Fail: 0$/);
});

it('curl gets the CSV of HAPI in gzip, with the bytes that it gets without', async () => {
  const address = `${service}/hapi/data?dataset=images_10&start=2024-05-10T12:30Z&stop=2024-05-10T14:00Z`;
  const plain = (await run('curl', ['-fsS', address])).stdout;
  const { stdout } = await run('curl', ['-fsS', '-D', '-', '--compressed', address]);
  const [headers, body] = stdout.split('\r\n\r\n') as [string, string];
  verdict('curl --compressed', /^content-encoding: .*/im.exec(headers)?.[0] ?? 'not compressed');
  expect(headers).toMatch(/^content-encoding: gzip\r?$/im);
  expect(plain).toContain('2024-05-10T13:');
  expect(body).toBe(plain);
});

it('the linter of OpenAPI finds the document valid, but for the slash at the end of the paths of the Helioviewer API', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'openapi.json'), await (await responseOf('/v2/openapi.json')).text());
    const cli = join(PACKAGES, '@redocly', 'cli', 'bin', 'cli.js');
    const args = [cli, 'lint', 'openapi.json', '--skip-rule', 'no-path-trailing-slash', '--format=json'];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout } = await run(process.execPath, args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
    const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{')));
    verdict('redocly', `${totals.errors} errors, ${totals.warnings} warnings`);
    expect(problems).toEqual([]);
  }));
