import { expect, it } from 'vitest';
import { bodyObserver, bodyParameters, observerOf } from '../../../src/explorer/model/readout.ts';
import { BODIES } from '../../../src/picture/overlays/bodies.ts';
import { OBSERVERS } from '../../../src/sun/bodies/solar-system.ts';
import { imageSources } from '../../../src/sun/catalogue/sources.ts';
import { imageObserver } from '../../../src/sun/coordinates/observer.ts';

it('the page takes the observer of an image from what was drawn of it, and from its header once that has loaded', () => {
  const fsi = { takenAt: '2022-04-01T00:00:45Z', dsun: 51_427_121_540 };
  const onLine = imageObserver(Date.parse(fsi.takenAt), fsi.dsun, new Map());
  expect(observerOf(fsi, null)).toEqual(onLine);
  const drawn = { b0Degrees: 2.1, longitudeDegrees: 101.9 };
  expect(observerOf(fsi, null, drawn)).toEqual({ ...onLine, ...drawn });
  const fits = [
    ['HGLN_OBS', '101.8661943423178'],
    ['HGLT_OBS', '2.147125'],
  ] as const;
  expect(observerOf(fsi, fits, drawn)).toMatchObject({ b0Degrees: 2.147125, longitudeDegrees: 101.8661943423178 });
});

it('screenshots take the words for all bodies of every observer', () => {
  for (const name of ['COR2-A', 'EUVI-B 195', 'LASCO C3', 'AIA 171']) {
    const parameters = bodyParameters(name);
    const words = parameters.celestialBodiesLabels!.split(',');
    expect(words).toHaveLength(12);
    expect(BODIES.read(parameters)).toEqual({ celestialBodiesLabels: words, celestialBodiesTrajectories: words });
  }
});

it('the observer of a source is the observatory of its record, where that has an orbit', () => {
  for (const { nickname, levels } of imageSources) {
    const observatory = levels[0]!.name.toLowerCase();
    expect([nickname, bodyObserver(nickname)]).toEqual([nickname, OBSERVERS.find((name) => name === observatory) ?? 'earth']);
  }
});
