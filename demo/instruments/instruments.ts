// The instruments of the sample Sun by source id.
import { regularFileName } from '../../src/domain/catalogue/archive-name.ts';
import type { DataSource } from '../../src/domain/catalogue/datasource.ts';
import { imageSources } from '../../src/domain/catalogue/sources.ts';
import { PLAIN_STYLE } from '../jp2/encode.ts';
import { dated, distance, keywords } from './header.ts';
import type { Instrument, InstrumentRecord } from './instrument.ts';
import { aia, hmi } from './sdo.ts';
import { eit, lasco, mdi } from './soho.ts';
import { ccor, eui, gong, iris, kCor, punch, rhessi, secchi, suvi, swap, sxt, trace, xrt } from './space.ts';

/** An instrument whose header names the levels of its source, for sources that have none of their own. */
function commonInstrument(path: readonly string[], isCoronagraph: boolean): InstrumentRecord {
  const [telescope = '', instrument = '', ...rest] = path;
  const own = { WAVELNTH: rest.at(-1) ?? '', DETECTOR: rest.at(-2) ?? '' };
  return {
    look: isCoronagraph ? 'lascoC3' : 'euv171',
    fieldArcsec: 1024 * (isCoronagraph ? 56 : 2.5),
    keywords: keywords(telescope, instrument, own, dated, distance),
  };
}

function instrumentOf({ levels, mask }: DataSource): InstrumentRecord {
  const path = levels.map((level) => level.fitsName);
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
      return commonInstrument(path, mask !== null);
  }
}

const instruments: ReadonlyMap<number, Instrument> = new Map(
  imageSources.map((source) => {
    const fileName = (timeMs: number) => regularFileName(source.id, timeMs) ?? '';
    return [source.id, { viewpoint: 'earth', style: PLAIN_STYLE, fileName, ...instrumentOf(source) }];
  }),
);

/** The instrument of a source; undefined for groups of sources and unknown ids. */
export function findInstrument(sourceId: number): Instrument | undefined {
  return instruments.get(sourceId);
}
