import type { PlanePoint } from './picture-plane.ts';
import type { Stonyhurst } from './sphere.ts';

const GRID_STEP_DEGREES = 15;
const SAMPLE_DEGREES = 3;

/** Lines of equal latitude and of equal Stonyhurst longitude, as runs of points where `placeOf` has some. */
export function gridRuns(placeOf: (location: Stonyhurst) => PlanePoint | null): PlanePoint[][] {
  const lines: PlanePoint[][] = [];
  const trace = (from: number, to: number, at: (degrees: number) => Stonyhurst) => {
    let run: PlanePoint[] = [];
    for (let degrees = from; degrees <= to; degrees += SAMPLE_DEGREES) {
      const position = placeOf(at(degrees));
      if (position) run.push(position);
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
