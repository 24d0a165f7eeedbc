// Ground-based telescopes.
import type { InstrumentRecord } from './instrument.ts';
import { archiveName, dated, distance, keywords, radiusPixels } from './keywords.ts';

export function kCor(): InstrumentRecord {
  return {
    look: 'kCor',
    fieldArcsec: 1024 * 5.643,
    fileName: archiveName('MLSO_KCOR_KCOR_white-light-pB', 'none'),
    keywords: keywords('COSMO K-Coronagraph', 'COSMO K-Coronagraph', { WAVELNTH: 735 }, dated, distance, radiusPixels('R_SUN')),
  };
}

export function gong(): InstrumentRecord {
  return {
    look: 'hAlpha',
    fieldArcsec: 2048 * 1.07,
    fileName: archiveName('NSO-GONG_GONG_H-alpha_6562', 'none'),
    keywords: keywords('NSO-GONG', 'GONG', { DETECTOR: 'H-alpha', WAVELNTH: 6562.8 }, dated, radiusPixels('RADIUS')),
  };
}
