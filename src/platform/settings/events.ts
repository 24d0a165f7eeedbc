import { z } from 'zod';
import { httpBase, readVariables, type Variables } from './variable.ts';

const REAL_SOURCES = 'real';

export const EVENT_VARIABLES = {
  EVENTS_UPSTREAM: {
    type: z.union([z.literal(REAL_SOURCES), httpBase()], 'an http address').default(REAL_SOURCES),
    unit: `\`${REAL_SOURCES}\` or an http address`,
    description:
      'Sources of events: the real ones, or a server that has all of them below `/hek`, `/donki`, `/scoreboard`, `/xray` and `/wsa`.',
    deployed: REAL_SOURCES,
  },
} as const satisfies Variables;

const REAL = {
  hek: 'https://www.lmsal.com/hek/her',
  donki: 'https://ccmc.gsfc.nasa.gov/DONKI-API/get',
  scoreboard: 'https://iswa.ccmc.gsfc.nasa.gov/IswaSystemWebApp/flarescoreboard/hapi',
  xray: 'https://iswa.ccmc.gsfc.nasa.gov/IswaSystemWebApp/hapi',
  wsa: 'https://ccmc.gsfc.nasa.gov/wsa-dashboard/api',
};

/** Addresses of the sources, without a slash at the end. */
export type EventSettings = Readonly<typeof REAL>;

/** @throws Failure that names the variable and what it has to be */
export function readEventSettings(env: object): EventSettings {
  const { EVENTS_UPSTREAM: upstream } = readVariables(EVENT_VARIABLES, env);
  if (upstream === REAL_SOURCES) return REAL;
  return Object.fromEntries(Object.keys(REAL).map((name) => [name, `${upstream}/${name}`])) as EventSettings;
}
