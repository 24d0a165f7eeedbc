// Places of the features of the sample Sun.
import { type Lasting, longitudeAt, regionsAt, wrap180 } from '../../demo/sun/features.ts';
import { observerAt } from '../../demo/sun/observer.ts';

/** Features with their Stonyhurst longitudes (from the Earth's meridian), degrees, -180 to 180, west positive. */
function placed<T extends Lasting>(features: readonly T[], timeMs: number) {
  const earthDeg = observerAt('earth', timeMs).longitudeDeg;
  return features.map((feature) => {
    const carringtonDeg = longitudeAt(feature, timeMs);
    return { feature, carringtonDeg, stonyhurstDeg: wrap180(carringtonDeg - earthDeg), latitudeDeg: feature.latitudeDeg };
  });
}

export const placedRegions = (timeMs: number) => placed(regionsAt(timeMs), timeMs);
