// Settings of the sources of solar events.
import { Failure } from '../../domain/errors.ts';

/** Where the sources are, without a slash at the end. */
export interface EventSettings {
  /** `EVENTS_HEK_URL`: search of the Heliophysics Event Knowledgebase. */
  readonly hekUrl: string;
  /** `EVENTS_DONKI_URL`: web service of DONKI; CME and FLR are below it. */
  readonly donkiUrl: string;
  /** `EVENTS_SCOREBOARD_URL`: HAPI server of the flare scoreboard; data is below it. */
  readonly scoreboardUrl: string;
}

const REAL: EventSettings = {
  hekUrl: 'https://www.lmsal.com/hek/her',
  donkiUrl: 'https://ccmc.gsfc.nasa.gov/DONKI-API/get',
  scoreboardUrl: 'https://iswa.ccmc.gsfc.nasa.gov/IswaSystemWebApp/flarescoreboard/hapi',
};

const REAL_SOURCES = 'real';

function httpAddress(name: string, value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const url = URL.parse(value.trim());
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) return url.href.replace(/\/+$/, '');
  throw new Failure('internal', `Expected an http address for ${name}, got ${value}.`);
}

/**
 * `EVENTS_UPSTREAM`: `real`, or an address under which all sources are served at /hek, /donki and /scoreboard. Unset: real.
 * The address of a single source counts before it.
 * @throws Failure that names the variable
 */
export function readEventSettings(env: Readonly<Record<string, unknown>>): EventSettings {
  const isReal = env.EVENTS_UPSTREAM === REAL_SOURCES;
  const base = isReal ? null : httpAddress('EVENTS_UPSTREAM', env.EVENTS_UPSTREAM);
  const usual = base ? { hekUrl: `${base}/hek`, donkiUrl: `${base}/donki`, scoreboardUrl: `${base}/scoreboard` } : REAL;
  return {
    hekUrl: httpAddress('EVENTS_HEK_URL', env.EVENTS_HEK_URL) ?? usual.hekUrl,
    donkiUrl: httpAddress('EVENTS_DONKI_URL', env.EVENTS_DONKI_URL) ?? usual.donkiUrl,
    scoreboardUrl: httpAddress('EVENTS_SCOREBOARD_URL', env.EVENTS_SCOREBOARD_URL) ?? usual.scoreboardUrl,
  };
}
