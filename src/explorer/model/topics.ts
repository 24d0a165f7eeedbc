// Subjects by which people look for layers and events; their words in each language are texts of the page.

type Subject = { readonly sources: RegExp; readonly pins: readonly string[] };

const SUBJECTS = {
  sunspots: { sources: /continuum|\bInt\b|\b4500\b|TRACE white-light|SXT white-light/, pins: ['SS', 'AR'] },
  magneticField: { sources: /magnetogram/, pins: ['AR', 'EF', 'SG'] },
  ejections: { sources: /LASCO|\bCOR[12]\b|KCor|CCOR|PUNCH/, pins: ['CE', 'C3', 'ER', 'FE', 'CD'] },
  flares: { sources: /\bAIA (?:94|131|1600)\b|SUVI (?:94|131)\b|XRT|SXT|RHESSI/, pins: ['FL', 'F2', 'FP', 'C3'] },
  xRays: { sources: /XRT|SXT|RHESSI/, pins: ['FL', 'F2'] },
  helium: { sources: /\b304\b/, pins: [] },
  hydrogen: { sources: /H-alpha|\b1216\b/, pins: [] },
  filaments: { sources: /\b304\b|H-alpha|\b1216\b/, pins: ['FI', 'FE', 'FA', 'PB'] },
  iron: { sources: /\b(?:94|131|171|174|193|195|211|284|335)\b/, pins: [] },
  coronalHoles: { sources: /\b(?:193|195|211)\b/, pins: ['CH'] },
  chromosphere: { sources: /\b304\b|H-alpha|\b1216\b|\b1600\b|\b1700\b|IRIS/, pins: ['PG'] },
  farSide: { sources: /STEREO|SOLO/, pins: [] },
} as const satisfies Readonly<Record<string, Subject>>;

type Topic = keyof typeof SUBJECTS;

const TOPICS = Object.keys(SUBJECTS) as readonly Topic[];

const OBSERVATORIES: Readonly<Record<string, string>> = {
  SDO: 'Solar Dynamics Observatory',
  SOHO: 'Solar and Heliospheric Observatory',
  SOLO: 'Solar Orbiter',
  STEREO_A: 'STEREO-A Ahead',
  STEREO_B: 'STEREO-B Behind',
  MLSO: 'Mauna Loa',
  PROBA2: 'PROBA-2',
};

export function topicsOfSource(name: string, path: readonly string[]): Topic[] {
  const names = `${path.join(' ')} ${name}`;
  return TOPICS.filter((topic) => SUBJECTS[topic].sources.test(names));
}

export function topicsOfEvents(pin: string): Topic[] {
  return TOPICS.filter((topic) => (SUBJECTS[topic].pins as readonly string[]).includes(pin));
}

export const observatoryName = (name: string): string => OBSERVATORIES[name] ?? name;

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

const PLURAL = /(?:e[sn]?|[sn])$/;
const SHORTEST_STEM = 4;

/** Whether a text has all words of a search, in singular or plural, with or without accents. */
export function hasWords(text: string, search: string): boolean {
  const within = plain(text);
  return plain(search)
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => {
      const stem = word.replace(PLURAL, '');
      return within.includes(word) || (stem.length >= SHORTEST_STEM && within.includes(stem));
    });
}
