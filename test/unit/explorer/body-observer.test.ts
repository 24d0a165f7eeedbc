import { expect, it } from 'vitest';
import { OBSERVERS } from '../../../src/domain/bodies/solar-system.ts';
import { imageSources } from '../../../src/domain/catalogue/sources.ts';
import { BODIES } from '../../../src/domain/overlays/bodies.ts';
import { bodyObserver, bodyParameters } from '../../../src/web/explorer/model/body-observer.ts';

it.each([
  ['COR2-A', 'stereo_a'],
  ['EUVI-B 195', 'stereo_b'],
  ['LASCO C3', 'soho'],
  ['MDI Mag', 'soho'],
  ['AIA 304', 'earth'],
])('the planets of %s are those that %s sees', (name, observer) => {
  expect(bodyObserver(name)).toBe(observer);
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
