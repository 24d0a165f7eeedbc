// X-ray flares visible from the Earth, at their positions at the peak.
import { goesClass } from '../../src/domain/events/x-ray-flux.ts';
import { flaresBetween } from '../sun/features.ts';
import { SWPC } from './hek-finders.ts';
import { type HekRecord, hekRecord } from './hek-record.ts';
import { LONGEST_FLARE_MS } from './record-text.ts';
import { Sky } from './sky.ts';

export function flares(fromMs: number, toMs: number): HekRecord[] {
  return flaresBetween(fromMs - LONGEST_FLARE_MS, toMs + 1)
    .filter(({ endMs }) => endMs >= fromMs)
    .flatMap((flare): HekRecord[] => {
      const sky = new Sky(flare.peakMs);
      const position = sky.seeFeature(flare);
      if (!position.visible) return [];
      const flareClass = goesClass(flare.peakFlux);
      const record = hekRecord({
        type: 'FL',
        finder: SWPC,
        key: String(flare.regionNumber),
        startMs: flare.startMs,
        endMs: flare.endMs,
        peakMs: flare.peakMs,
        sky,
        position,
        title: `${flareClass} flare`,
        columns: {
          fl_goescls: flareClass,
          fl_peakflux: flare.peakFlux,
          ar_noaanum: flare.regionNumber,
        },
      });
      return [record];
    });
}
