// The instruments of the sample Sun by source id.

import { allSources } from '../../src/domain/catalogue/sources.ts';
import { gong, kCor } from './ground.ts';
import type { Instrument } from './instrument.ts';
import { aia, hmi } from './sdo.ts';
import { eit, lasco, mdi } from './soho.ts';
import { ccor, eui, iris, punch, rhessi, secchi, suvi, swap, sxt, trace, xrt } from './space.ts';

function instrumentOf(path: readonly string[]): Instrument | undefined {
  const [observatory = '', first = '', second = '', third = ''] = path;
  switch (observatory) {
    case 'SDO':
      return first === 'AIA' ? aia(second) : hmi(second);
    case 'SOHO':
      return first === 'EIT' ? eit(second) : first === 'MDI' ? mdi(second) : lasco(second === 'C2' ? 'C2' : 'C3');
    case 'STEREO_A':
    case 'STEREO_B':
      return secchi(observatory === 'STEREO_A' ? 'A' : 'B', second, third);
    case 'PROBA2':
      return swap();
    case 'Yohkoh':
      return sxt(second);
    case 'Hinode':
      return xrt(second, third);
    case 'TRACE':
      return trace(first);
    case 'MLSO':
      return kCor();
    case 'Solar_Orbiter':
      return eui(second, third);
    case 'GOES-R':
      return suvi(second);
    case 'IRIS':
      return iris(second);
    case 'NSO-GONG':
      return gong();
    case 'RHESSI':
      return rhessi(first, second);
    case 'GOES-19':
      return ccor(observatory, 1);
    case 'SWFO-L1':
      return ccor(observatory, 2);
    case 'PUNCH':
      return punch(second, second.includes('Unpolarized') ? 'CAM' : 'PAM');
    default:
      return undefined;
  }
}

const instruments = new Map<number, Instrument>();
for (const source of allSources) {
  const instrument = source.id > 10_000 ? undefined : instrumentOf(source.levels.map((level) => level.fitsName));
  if (instrument) instruments.set(source.id, instrument);
}

/** The instrument of a source; undefined for groups of sources and unknown ids. */
export function findInstrument(sourceId: number): Instrument | undefined {
  return instruments.get(sourceId);
}
