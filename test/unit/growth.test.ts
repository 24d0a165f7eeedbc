// docs/security.md lists everything that requests can make grow.
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { EXPIRY_DAYS } from '../../src/archive/keys.ts';
import { PREDICTION_MODELS } from '../../src/events/records/flare-prediction.ts';
import { BUDGETS, ROW_BYTES } from '../../src/platform/limits/admission.ts';
import { EVENT_COUNTS, EVENT_DAYS } from '../../src/platform/limits/events.ts';
import { CLIENT_STATES } from '../../src/platform/limits/sharing.ts';
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { EVENT_TYPES } from '../../src/sun/events/event-types.ts';

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const page = read('docs/security.md');
const section = page.slice(page.indexOf('\n## Growth\n'));
const [visitors = '', objects = '', elsewhere = ''] = section.split('\n| --- |').slice(1);

const named = (text: string) => new Set([...text.matchAll(/`([\w/-]+)`/g)].map((match) => match[1]!));

const tablesOf = (database: string): string[] =>
  globSync(`migrations/${database}/*.sql`, { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/CREATE TABLE `(?!__)(\w+)`/g)].map((match) => match[1]!),
  );

it('The list of what can grow names every table of the databases.', () => {
  const listed = named(visitors);
  expect(tablesOf('main').filter((table) => !listed.has(table))).toEqual([]);
  const ofOperators = [...tablesOf('operations'), ...tablesOf('images')];
  const closed = named(elsewhere.slice(elsewhere.indexOf('No request of a visitor')));
  expect(ofOperators.length).toBeGreaterThan(10);
  expect(ofOperators.filter((table) => !closed.has(table) || listed.has(table))).toEqual([]);
});

/** Prefixes of keys in the code: the first folder, and of what is derived the second. */
const inCode = new Set(
  [...read('src/archive/keys.ts').matchAll(/['`]((?:derived\/)?[a-z][a-z0-9-]*\/)/g)]
    .map((match) => match[1]!)
    .filter((prefix) => prefix !== 'derived/'),
);

it('The list of what can grow names every prefix of the bucket.', () => {
  const listed = [...named(objects)];
  const prefixes = new Set([...Object.keys(EXPIRY_DAYS), ...inCode]);
  expect(prefixes.size).toBeGreaterThan(15);
  expect([...prefixes].filter((prefix) => !listed.some((each) => each.startsWith(prefix)))).toEqual([]);
});

it('The list of what can grow says of everything what happens at its bound.', () => {
  const cellsOf = (row: string) => row.slice(2, -2).split(' | ');
  const tables = section.split(/\n\n/).filter((block) => block.startsWith('| '));
  expect(tables).toHaveLength(3);
  for (const table of tables) {
    const [header = '', , ...rows] = table.split('\n');
    const at = cellsOf(header).indexOf('when it is used up');
    expect(at, header).toBeGreaterThan(0);
    expect(rows.filter((row) => (cellsOf(row)[at] ?? '').trim() === '')).toEqual([]);
    expect(rows.filter((row) => cellsOf(row).length !== cellsOf(header).length)).toEqual([]);
  }
});

it('The budgets leave the visitors database below nine gigabytes.', () => {
  const [year, halfYear] = [365, 180];
  const { screenshots, movies, links, views } = BUDGETS;
  const viewRows = (views.allDay * ROW_BYTES) / (ROW_BYTES + CLIENT_STATES.leastBytes);
  const { kindsOfDay, rowBytes } = EVENT_COUNTS;
  // Only the HEK has methods with names of its own; by day, and again by month.
  const days = (Date.UTC(2040, 0, 1) - EVENT_DAYS.first) / DAY_MS;
  const eventCounts = 2 * days * (kindsOfDay + EVENT_TYPES.length + PREDICTION_MODELS.length) * rowBytes;
  expect(eventCounts).toBeLessThan(500e6);
  const bytes =
    screenshots.allDay * halfYear + movies.allDay * year + links.allDay * 2 * year + viewRows * 2 * year + eventCounts;
  expect(bytes).toBeLessThan(9e9);
});
