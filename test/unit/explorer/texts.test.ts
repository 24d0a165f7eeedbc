import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Note } from '../../../src/domain/explorer/view.ts';
import { english } from '../../../src/web/explorer/texts/english.ts';
import { french } from '../../../src/web/explorer/texts/french.ts';
import { german } from '../../../src/web/explorer/texts/german.ts';
import { chosenLanguage } from '../../../src/web/explorer/texts/languages.ts';
import { spanish } from '../../../src/web/explorer/texts/spanish.ts';

type Leaf = string | ((...values: never[]) => string);

/** Texts by path, as `time.units.image`. */
function leaves(node: unknown, path = ''): [string, Leaf][] {
  if (typeof node === 'string' || typeof node === 'function') return [[path, node as Leaf]];
  return Object.entries(node as object).flatMap(([key, child]) => leaves(child, path === '' ? key : `${path}.${key}`));
}

/** Texts that are the same in two languages, because the field has one term or they are symbols. */
const INTERNATIONAL =
  /^(?:measure\.(?:stonyhurst|carrington|radius)|time\.(?:carrington|units\.(?:image|rotation))|make\.(?:format|pixels|regionSize|spanOf|framesOf|rateOf)|events\.names\.\w+|helpKeys.*|data\.image|about\.image|layers\.(?:found|example|opacity)|looks\.corona\.title|data\.xml|time\.pause|make\.frames)$/;

const ENGLISH = new Map(leaves(english));
const OTHERS = { german, french, spanish };

describe.each(Object.entries(OTHERS))('the %s texts', (_, texts) => {
  const own = new Map(leaves(texts));

  it('have the keys of the English ones, each of the same kind', () => {
    expect([...own.keys()].sort()).toEqual([...ENGLISH.keys()].sort());
    for (const [path, text] of ENGLISH) expect([path, typeof own.get(path)]).toEqual([path, typeof text]);
  });

  it('differ from the English ones where the field has no common term', () => {
    const same = [...ENGLISH].filter(([path, text]) => typeof text === 'string' && own.get(path) === text);
    expect(same.map(([path]) => path).filter((path) => !INTERNATIONAL.test(path))).toEqual([]);
  });

  it('keep times in ISO notation', () => {
    const image = { name: 'AIA 171', takenAt: '2024-05-10T12:15:03.000Z' } as Parameters<typeof texts.shows>[0];
    expect(texts.shows(image)).toContain('AIA 171, 2024-05-10 12:15:03 UTC');
    expect(texts.layers.range(Date.UTC(2010, 4, 1), Date.UTC(2024, 4, 10))).toMatch(/2010-05-01 .*2024-05-10/);
    expect(texts.time.badDate('x')).toContain('2024-05-10 12:15');
  });

  it('have sentences for each note about an address', () => {
    const notes: Note[] = [
      ...(
        [
          'bad-date',
          'unknown-source',
          'bad-layers',
          'bad-difference',
          'bad-place',
          'half-place',
          'unknown-event',
          'unknown-view',
        ] as const
      ).map((kind) => ({ kind, given: 'GIVEN' })),
      { kind: 'bad-opacity', given: 'GIVEN', used: 100 },
      { kind: 'alias', given: 'GIVEN', sourceId: 88, name: 'SUVI 94' },
      { kind: 'no-images', given: 'GIVEN', instead: 'AIA 171' },
    ];
    for (const note of notes) expect(texts.note(note)).toMatch(/GIVEN.*\.$/);
    const instead = 'AIA 171';
    expect(texts.note({ kind: 'unknown-source', given: 'GIVEN', instead })).toMatch(
      /GIVEN.*AIA 171\.$|GIVEN.*AIA 171 is shown\.$/,
    );
    expect(texts.note({ kind: 'all-hidden', instead })).toMatch(/AIA 171.*\.$/);
    expect(texts.note({ kind: 'too-many-layers', given: 7 })).toMatch(/7.*\.$/);
  });
});

describe('the English texts', () => {
  it('are all used by the page', () => {
    const folder = resolve(import.meta.dirname, '../../../src/web/explorer');
    const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('texts/'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    // Members of tables are looked up by a variable.
    const tables = /^(?:sources|panels|helpKeys|events\.names|looks\.\w+|make\.parts|time\.units)\./;
    const unused = [...ENGLISH.keys()].filter(
      (path) => !tables.test(path) && !new RegExp(`\\.${path.split('.').at(-1)}\\b`).test(code),
    );
    // `texts[name]` of the dialogs' buttons, and the direction of a distance.
    expect(unused).toEqual(['durations.earlier', 'durations.later', 'share']);
  });
});

describe('the language', () => {
  it.each([
    [[null, null, 'de-AT', 'en'], 'de'],
    [['fr', 'es', 'de'], 'fr'],
    [[null, 'es', 'de'], 'es'],
    [[null, null, 'ja', 'FR-ca'], 'fr'],
    [[null, 'nonsense', 'ja'], 'en'],
  ] as const)('of %j is %s', (tags, language) => {
    expect(chosenLanguage(tags)).toBe(language);
  });
});
