import { expect, it } from 'vitest';
import { NOON, repeatedService } from '../../support/measurement/service.ts';

const IMAGES = 300;

const BOX = { x: 100, y: 100, width: 60, height: 60 };

it.each([
  ['a light curve', 'getLightCurve', { ...BOX, format: 'csv' }],
  ['a light curve of a rotating region in JSON', 'getLightCurve', { ...BOX, track: 'rotation', format: 'json' }],
  ['a time-distance map as FITS', 'getTimeDistance', { path: '0,0,100,100', format: 'fits' }],
  ['a time-distance map as a numpy array', 'getTimeDistance', { path: '0,0,100,100', format: 'npy' }],
  ['a time-distance map in JSON', 'getTimeDistance', { path: '0,0,100,100', format: 'json' }],
  ['a cube as FITS', 'getCutout', { ...BOX, format: 'fits' }],
  ['a tracked cube as a numpy array', 'getCutout', { ...BOX, track: 'rotation', format: 'npy' }],
] as const)('measuring stops with the client of %s', async (_, operation, parameters) => {
  const { app, objects, range } = await repeatedService(Array.from({ length: IMAGES }, (__, i) => NOON + i * 12_000));
  const files = new Set<string>();
  const reading = objects.read.bind(objects);
  objects.read = (key, ...part) => {
    files.add(key);
    return reading(key, ...part);
  };
  const asked = Object.entries({ ...range, ...parameters }).map(([name, value]) => [name, String(value)]);
  const response = await app.request(`http://sun.test/v2/${operation}/?${new URLSearchParams(asked)}`);
  expect([response.status, response.headers.get('X-Series-Rows')]).toEqual([200, String(IMAGES)]);
  const reader = response.body!.getReader();
  // The header, and the first image.
  for (let part = 0; part < 2; part++) expect((await reader.read()).value!.length).toBeGreaterThan(0);
  await reader.cancel();
  await app.settle();
  expect(files.size).toBeLessThan(20);
});
