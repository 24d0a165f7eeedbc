import { expect, it } from 'vitest';
import { hasWords, topicsOfEvents, topicsOfSource } from '../../../src/explorer/model/topics.ts';
import type { Language } from '../../../src/explorer/texts/languages.ts';
import german from '../../../src/explorer/texts/more/de.json' with { type: 'json' };
import english from '../../../src/explorer/texts/more/en.json' with { type: 'json' };
import spanish from '../../../src/explorer/texts/more/es.json' with { type: 'json' };
import french from '../../../src/explorer/texts/more/fr.json' with { type: 'json' };

const TOPICS = { en: english.panels.topics, de: german.panels.topics, fr: french.panels.topics, es: spanish.panels.topics };

const SOURCES: Readonly<Record<string, readonly string[]>> = {
  'HMI Int': ['SDO', 'HMI', 'continuum'],
  'HMI Mag': ['SDO', 'HMI', 'magnetogram'],
  'AIA 131': ['SDO', 'AIA', '131'],
  'AIA 193': ['SDO', 'AIA', '193'],
  'AIA 304': ['SDO', 'AIA', '304'],
  'LASCO C2': ['SOHO', 'LASCO', 'C2', 'white-light'],
  'EUI FSI 174': ['SOLO', 'EUI', 'FSI', '174'],
  'GONG H-alpha': ['GONG', 'GONG', 'H-alpha', '6562'],
};

function found(language: Language, search: string): string[] {
  const words = (name: string, path: readonly string[]) =>
    topicsOfSource(name, path)
      .map((topic) => TOPICS[language][topic])
      .join(' ');
  return Object.keys(SOURCES).filter((name) => hasWords(words(name, SOURCES[name]!), search));
}

it.each([
  ['en', 'sunspots', ['HMI Int']],
  ['en', 'Flare', ['AIA 131']],
  ['en', 'coronagraph', ['LASCO C2']],
  ['en', 'helium', ['AIA 304']],
  ['en', 'magnetic field', ['HMI Mag']],
  ['en', 'prominence', ['AIA 304', 'GONG H-alpha']],
  ['de', 'Sonnenflecken', ['HMI Int']],
  ['de', 'Röntgen', []],
  ['de', 'rontgen flare', []],
  ['de', 'Protuberanzen', ['AIA 304', 'GONG H-alpha']],
  ['fr', 'taches solaires', ['HMI Int']],
  ['fr', 'helium', ['AIA 304']],
  ['fr', 'couronne', ['AIA 131', 'AIA 193', 'LASCO C2', 'EUI FSI 174']],
  ['es', 'agujeros coronales', ['AIA 193']],
  ['es', 'coronografo', ['LASCO C2']],
  ['en', 'nothing of this', []],
] as const)('the search for sources by what people say finds in %s for %s: %j', (language, search, names) => {
  expect(found(language, search)).toEqual(names);
});

it('the search for sources by what people say finds types of events by the same words', () => {
  const types = ['AR', 'CE', 'CH', 'FI', 'FL', 'SS'].filter((pin) =>
    hasWords(
      topicsOfEvents(pin)
        .map((topic) => TOPICS.en[topic])
        .join(' '),
      'sunspot',
    ),
  );
  expect(types).toEqual(['AR', 'SS']);
});

it('the search for sources by what people say needs every word, and finds all without one', () => {
  expect(hasWords('iron, corona', 'iron helium')).toBe(false);
  expect(hasWords('iron, corona', '')).toBe(true);
});
