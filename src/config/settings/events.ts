// Settings of the sources of solar events.
import { z } from 'zod';
import { httpBase, readVariables, type Variables } from '../variable.ts';

const REAL_SOURCES = 'real';

export const EVENT_VARIABLES = {
  upstream: {
    name: 'EVENTS_UPSTREAM',
    type: z.union([z.literal(REAL_SOURCES), httpBase()], 'an http address').default(REAL_SOURCES),
    unit: `\`${REAL_SOURCES}\` or an http address`,
    description:
      'Sources of events: the real ones, or a server that has all of them below `/hek`, `/donki`, `/scoreboard`, `/xray` and `/wsa`.',
    deployed: REAL_SOURCES,
  },
  hekUrl: {
    name: 'EVENTS_HEK_URL',
    type: httpBase().nullable().default(null),
    unit: 'http address',
    description: 'Search of the Heliophysics Event Knowledgebase. Takes precedence over EVENTS_UPSTREAM.',
    unset: 'as EVENTS_UPSTREAM says',
  },
  donkiUrl: {
    name: 'EVENTS_DONKI_URL',
    type: httpBase().nullable().default(null),
    unit: 'http address',
    description: 'Web service of DONKI, which has `/CME` and `/FLR`. Takes precedence over EVENTS_UPSTREAM.',
    unset: 'as EVENTS_UPSTREAM says',
  },
  scoreboardUrl: {
    name: 'EVENTS_SCOREBOARD_URL',
    type: httpBase().nullable().default(null),
    unit: 'http address',
    description: 'HAPI server of the flare scoreboard, which has `/data`. Takes precedence over EVENTS_UPSTREAM.',
    unset: 'as EVENTS_UPSTREAM says',
  },
  xrayUrl: {
    name: 'EVENTS_XRAY_URL',
    type: httpBase().nullable().default(null),
    unit: 'http address',
    description: 'HAPI server of the X-ray flux of GOES, which has `/data`. Takes precedence over EVENTS_UPSTREAM.',
    unset: 'as EVENTS_UPSTREAM says',
  },
  wsaUrl: {
    name: 'EVENTS_WSA_URL',
    type: httpBase().nullable().default(null),
    unit: 'http address',
    description: 'Interface of the WSA dashboard of CCMC. Takes precedence over EVENTS_UPSTREAM.',
    unset: 'as EVENTS_UPSTREAM says',
  },
} as const satisfies Variables;

/** Addresses of the sources, without a slash at the end. */
export interface EventSettings {
  readonly hekUrl: string;
  readonly donkiUrl: string;
  readonly scoreboardUrl: string;
  readonly xrayUrl: string;
  readonly wsaUrl: string;
}

const REAL: EventSettings = {
  hekUrl: 'https://www.lmsal.com/hek/her',
  donkiUrl: 'https://ccmc.gsfc.nasa.gov/DONKI-API/get',
  scoreboardUrl: 'https://iswa.ccmc.gsfc.nasa.gov/IswaSystemWebApp/flarescoreboard/hapi',
  xrayUrl: 'https://iswa.ccmc.gsfc.nasa.gov/IswaSystemWebApp/hapi',
  wsaUrl: 'https://ccmc.gsfc.nasa.gov/wsa-dashboard/api',
};

const sourcesBelow = (base: string): EventSettings => ({
  hekUrl: `${base}/hek`,
  donkiUrl: `${base}/donki`,
  scoreboardUrl: `${base}/scoreboard`,
  xrayUrl: `${base}/xray`,
  wsaUrl: `${base}/wsa`,
});

/** @throws Failure that names the variable and what it has to be */
export function readEventSettings(env: object): EventSettings {
  const { upstream, hekUrl, donkiUrl, scoreboardUrl, xrayUrl, wsaUrl } = readVariables(EVENT_VARIABLES, env);
  const sources = upstream === REAL_SOURCES ? REAL : sourcesBelow(upstream);
  return {
    hekUrl: hekUrl ?? sources.hekUrl,
    donkiUrl: donkiUrl ?? sources.donkiUrl,
    scoreboardUrl: scoreboardUrl ?? sources.scoreboardUrl,
    xrayUrl: xrayUrl ?? sources.xrayUrl,
    wsaUrl: wsaUrl ?? sources.wsaUrl,
  };
}
