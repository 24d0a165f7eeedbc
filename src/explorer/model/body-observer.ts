// Who sees the planets and probes of a picture: the observer of its lowest image.
import { BODIES_NEAR_SUN } from '../../sun/bodies/names.ts';
import type { ObserverName } from '../../sun/bodies/solar-system.ts';

/** The observer of a source by its name, as `COR2-A` or `LASCO C3`; the Earth for those without orbits here. */
export function bodyObserver(sourceName: string): ObserverName {
  const stereo = /^(?:EUVI|COR\d)-([AB])\b/.exec(sourceName)?.[1];
  if (stereo) return stereo === 'A' ? 'stereo_a' : 'stereo_b';
  return /^(?:LASCO|EIT|MDI)\b/.test(sourceName) ? 'soho' : 'earth';
}

export function bodyParameters(sourceName: string): Readonly<Record<string, string>> {
  const words = BODIES_NEAR_SUN.map((body) => `${bodyObserver(sourceName)}-${body}`).join(',');
  return { celestialBodiesLabels: words, celestialBodiesTrajectories: words };
}
