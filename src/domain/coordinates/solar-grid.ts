// The heliographic grid of a picture.
import { type PlanePoint, placeOf, type ViewObserver } from './picture-plane.ts';
import type { Stonyhurst } from './stonyhurst.ts';

const GRID_STEP_DEGREES = 15;
const SAMPLE_DEGREES = 3;

/** Lines of equal latitude and of equal Stonyhurst longitude on the visible hemisphere, as runs of points. */
export function gridLines(observer: ViewObserver): PlanePoint[][] {
  const lines: PlanePoint[][] = [];
  const trace = (from: number, to: number, at: (degrees: number) => Stonyhurst) => {
    let run: PlanePoint[] = [];
    for (let degrees = from; degrees <= to; degrees += SAMPLE_DEGREES) {
      const place = placeOf(at(degrees), observer);
      if (place) run.push(place);
      else if (run.length > 0) {
        lines.push(run);
        run = [];
      }
    }
    if (run.length > 1) lines.push(run);
  };
  for (let latitude = -75; latitude <= 75; latitude += GRID_STEP_DEGREES)
    trace(-180, 180, (longitude) => ({ latitude, longitude }));
  for (let longitude = -180; longitude < 180; longitude += GRID_STEP_DEGREES)
    trace(-90, 90, (latitude) => ({ latitude, longitude }));
  return lines;
}
