import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import german from '../../../src/explorer/texts/de.json' with { type: 'json' };
import english from '../../../src/explorer/texts/en.json' with { type: 'json' };
import spanish from '../../../src/explorer/texts/es.json' with { type: 'json' };
import french from '../../../src/explorer/texts/fr.json' with { type: 'json' };
import {
  aboutSource,
  chosenLanguage,
  decimalIn,
  filled,
  type Language,
  numberIn,
  translated,
} from '../../../src/explorer/texts/languages.ts';
import { imageSources } from '../../../src/sun/catalogue/sources.ts';
import { EVENT_TYPES } from '../../../src/sun/events/event-types.ts';

const FOLDER = resolve(import.meta.dirname, '../../../src/explorer');

/** The texts that load with panels and dialogs. */
const moreOf = (language: Language) =>
  JSON.parse(readFileSync(join(FOLDER, `texts/more/${language}.json`), 'utf8')) as Record<
    'guide' | 'panels',
    Record<string, object>
  >;

/** Texts by path, as `time.units.image`. */
function leaves(node: unknown, path = ''): [string, string][] {
  if (typeof node === 'string') return [[path, node]];
  return Object.entries(node as object).flatMap(([key, child]) => leaves(child, path === '' ? key : `${path}.${key}`));
}

/** Texts that are the same in two languages, because the field has one term or they are symbols. */
const INTERNATIONAL =
  /^(?:time\.(?:carrington|perSecond|units\.(?:image|rotation))|make\.(?:pixels|regionSize)|events\.names\.\w+|time\.pause|movie\.images)$/;

const ENGLISH = new Map(leaves(english));
const OTHERS: readonly [Language, typeof english][] = [
  ['de', german],
  ['fr', french],
  ['es', spanish],
];

/** Parameters of a text. The form for one or none may do without the number. */
const parametersOf = (path: string, text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'count' || !/\.(?:zero|one)$/.test(path))
    .sort();

describe.each(OTHERS)('the texts in %s', (language, texts) => {
  const own = new Map(leaves(texts));

  it('use exactly the keys of the English ones, each with the same parameters', () => {
    expect([...own.keys()].sort()).toEqual([...ENGLISH.keys()].sort());
    for (const [path, text] of ENGLISH)
      expect([path, parametersOf(path, own.get(path)!)]).toEqual([path, parametersOf(path, text)]);
  });

  it('differ from the English ones where the field has no common term, and name every type of events', () => {
    const same = [...ENGLISH].filter(([path, text]) => own.get(path) === text);
    expect(same.map(([path]) => path).filter((path) => !INTERNATIONAL.test(path))).toEqual([]);
    const names: Readonly<Record<string, string>> = texts.events.names;
    for (const { pin } of EVENT_TYPES) expect([pin, names[pin]]).not.toEqual([pin, undefined]);
  });

  it('say each note about an address in a sentence, with what was given', () => {
    for (const [kind, text] of Object.entries(texts.notes))
      expect(
        filled(language, text, { given: 'GIVEN', instead: 'AIA 171', most: 5, used: 100, name: 'SUVI', sourceId: 8 }),
        kind,
      ).toMatch(/^[^{]*(?:GIVEN|AIA 171|WebGL)[^{]*\.$/);
  });
});

it('the English texts replace those that a translation lacks', () => {
  const own = new Map([
    ['close', 'Schließen'],
    ['failures.tiles.one', '{count} Teil fehlt.'],
  ]);
  const list = leaves(english).map(([path]) => own.get(path) ?? null);
  const { close, retry, failures } = translated(english, list);
  expect([close, retry, failures.tiles]).toEqual([
    'Schließen',
    'Try again',
    { ...english.failures.tiles, one: '{count} Teil fehlt.' },
  ]);
});

it('the English texts choose the form of a number, and fill in every parameter', () => {
  const { failures, timeline } = english;
  expect([1, 2].map((count) => filled('en', failures.tiles, { count }).slice(0, 7))).toEqual(['1 part ', '2 parts']);
  expect([0, 1].map((count) => filled('en', timeline.images, { count, name: 'AIA 171', span: '1 h' }))).toEqual([
    'AIA 171: no images',
    'AIA 171: 1 image in 1 h',
  ]);
  expect([decimalIn('de', '2.420'), decimalIn('en', '2.420')]).toEqual(['2,420', '2.420']);
  expect([numberIn('de', 1234.56, 3), numberIn('fr', 0.000123, 2)]).toEqual(['1230', '1,2 × 10⁻⁴']);
});

it('the English texts contain no entry that the page does not use', () => {
  const code = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(FOLDER, name), 'utf8'))
    .join('\n');
  // Members of tables are looked up by a variable.
  const tables =
    /^(?:sources|notes|panels|topics|dialogs\.themes|layers\.running|helpKeys|events\.(?:names|facts)|presets\.\w+|enhance\.(?:names|about|colours)|projection\.(?:kinds|about)|make\.parts|time\.units)\./;
  const paths = [...ENGLISH.keys(), ...leaves(moreOf('en').panels).map(([path]) => path)];
  const unused = [...new Set(paths.map((path) => path.replace(/\.(?:zero|one|other)$/, '')))].filter(
    (path) => !tables.test(path) && !new RegExp(`\\.${path.split('.').at(-1)}\\b`).test(code),
  );
  // `texts[name]` of the dialogs' buttons, the direction of a distance, an overlay, and a member that is destructured.
  expect(unused).toEqual(['durations.earlier', 'durations.later', 'help', 'measure.earthScale', 'helpTouch', 'unknownSource']);
});

it.each([
  [[null, null, 'de-AT', 'en'], 'de'],
  [['fr', 'es', 'de'], 'fr'],
  [[null, 'es', 'de'], 'es'],
  [[null, null, 'ja', 'FR-ca'], 'fr'],
  [[null, 'nonsense', 'ja'], 'en'],
] as const)('the language follows from %j: %s', (tags, language) => {
  expect(chosenLanguage(tags)).toBe(language);
});

it.each(['de', 'fr', 'es'] as const)('the texts of panels in %s have the keys of the English ones, and no text', (language) => {
  const [english, own] = [leaves(moreOf('en')), leaves(moreOf(language))];
  expect(own.map(([path]) => path)).toEqual(english.map(([path]) => path));
  for (const [i, [path, text]] of own.entries()) {
    expect([path, parametersOf(path, text)]).toEqual([path, parametersOf(path, english[i]![1])]);
    if (/\p{L} \p{L}/u.test(text)) expect(text).not.toBe(english[i]![1]);
  }
});

it('each description of a source begins with the name of one in the catalogue, HMI continuum among them', () => {
  const names = imageSources.map(({ nickname }) => nickname);
  const about = moreOf('en').panels as unknown as Parameters<typeof aboutSource>[0];
  const unknown = Object.keys(about.sources).filter((start) => !names.some((name) => name.startsWith(start)));
  expect(unknown).toEqual([]);
  for (const name of names.filter((name) => /^(?:AIA|HMI)/.test(name)))
    expect(aboutSource(about, name), name).not.toBe(about.unknownSource);
});
