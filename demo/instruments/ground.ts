// Ground-based telescopes.

import { PLAIN_STYLE } from '../jp2/encode.ts';
import type { Instrument } from './instrument.ts';
import { archiveName, dated, distance, named, radiusPixels } from './keywords.ts';

export function kCor(): Instrument {
  return {
    look: 'kCor',
    place: 'earth',
    fieldArcsec: 1024 * 5.643,
    style: PLAIN_STYLE,
    fileName: archiveName('MLSO_KCOR_KCOR_white-light-pB', 'none'),
    keywords: (exposure) => [
      ...named('COSMO K-Coronagraph', 'COSMO K-Coronagraph', [['WAVELNTH', 735]]),
      ...dated(exposure),
      ...distance(exposure),
      ...radiusPixels('R_SUN', exposure),
    ],
  };
}

export function gong(): Instrument {
  return {
    look: 'hAlpha',
    place: 'earth',
    fieldArcsec: 2048 * 1.07,
    style: PLAIN_STYLE,
    fileName: archiveName('NSO-GONG_GONG_H-alpha_6562', 'none'),
    keywords: (exposure) => [
      ...named('NSO-GONG', 'GONG', [
        ['DETECTOR', 'H-alpha'],
        ['WAVELNTH', 6562.8],
      ]),
      ...dated(exposure),
      ...radiusPixels('RADIUS', exposure),
    ],
  };
}
