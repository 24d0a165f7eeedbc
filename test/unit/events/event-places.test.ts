// Places of events on a screen of the page: each belongs to a time, whatever the page shows meanwhile.
import { describe, expect, it } from 'vitest';
import { eventPoint } from '../../../src/explorer/picture/projecting.ts';
import { parseProjection } from '../../../src/picture/projection.ts';
import { mappingOf } from '../../../src/picture/projections/projections.ts';
import { pictureObserver } from '../../../src/sun/coordinates/observer.ts';
import { eventPositionAt } from '../../../src/sun/coordinates/sphere.ts';

const PLACE = { latitude: 40, longitude: 20 };
/** Days on which the Earth sees the southern pole of the Sun, the northern one, and neither. */
const DAYS = ['2024-03-06', '2024-09-08', '2024-06-06'];

describe.each(['sphere,10,30', 'carrington', 'polar,north'])('in %s', (text) => {
  it.each(DAYS)('an event is where the Sun had it at its time, on %s', (day) => {
    const atMs = Date.parse(day);
    const projection = parseProjection(text);
    const mapping = mappingOf(projection, pictureObserver(atMs));
    const expected = mapping.screenOf(PLACE)!;
    const at = eventPoint(eventPositionAt({ kind: 'stonyhurst', ...PLACE, atMs }, atMs), atMs, { projection, mapping })!;
    expect(Math.hypot(at.x - expected.x, at.y - expected.y)).toBeLessThan(0.01);
  });
});
