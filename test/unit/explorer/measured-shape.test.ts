import { expect, it } from 'vitest';
import type { Shape } from '../../../src/explorer/model/measured-shape.ts';
import {
  draggedShape,
  extendedShape,
  grownShape,
  handlesOf,
  isComplete,
  lengthOf,
  movedShape,
  outlineOf,
  parseVertices,
  printVertices,
  seenPlace,
  shapeParameters,
  shownPoint,
  usualShape,
  withHandle,
} from '../../../src/explorer/model/measured-shape.ts';

const BOX: Shape = { kind: 'box', x: 100, y: 200, width: 60, height: 40 };
const CIRCLE: Shape = { kind: 'circle', x: -50, y: 30, radius: 25 };
const TRIANGLE: Shape = {
  kind: 'polygon',
  vertices: [
    { x: 0, y: 0 },
    { x: 100, y: 0 },
    { x: 0, y: 100 },
  ],
};
const LINE: Shape = {
  kind: 'path',
  vertices: [
    { x: 0, y: 0 },
    { x: 30, y: 40 },
  ],
};
const RADIAL: Shape = { kind: 'radial', angle: 270, from: 900, to: 1200 };

it('a drag draws a box from corner to corner, a circle from its centre, and a radial line from north to east', () => {
  expect(draggedShape('box', { x: 130, y: 180 }, { x: 70, y: 220 })).toEqual(BOX);
  expect(draggedShape('box', { x: 70, y: 220 }, { x: 130, y: 180 })).toEqual(BOX);
  expect(draggedShape('circle', { x: -50, y: 30 }, { x: -35, y: 50 })).toEqual(CIRCLE);
  expect(draggedShape('circle', { x: 5, y: 5 }, { x: 5, y: 5 })).toEqual({ kind: 'circle', x: 5, y: 5, radius: 1 });
  const west = draggedShape('radial', { x: 900, y: 0 }, { x: 1200, y: 0 });
  expect(west).toEqual(RADIAL);
  expect(draggedShape('radial', { x: -1000, y: 0 }, { x: -900, y: 0 })).toMatchObject({ angle: 90, from: 900, to: 1000 });
  expect(draggedShape('radial', { x: 0, y: 900 }, { x: 0, y: 1000 })).toMatchObject({ angle: 0 });
});

it.each([BOX, CIRCLE, TRIANGLE, LINE, RADIAL])('a shape stays as it is when a handle is put where it is: %j', (shape) => {
  for (const [i, handle] of handlesOf(shape).entries()) expect(withHandle(shape, i, handle)).toEqual(shape);
  expect(isComplete(shape)).toBe(true);
});

it('a shape moves and grows by keys', () => {
  expect(movedShape(BOX, { x: 10, y: -5 })).toMatchObject({ x: 110, y: 195, width: 60, height: 40 });
  expect(movedShape(TRIANGLE, { x: 1, y: 2 })).toMatchObject({ vertices: [{ x: 1, y: 2 }, { x: 101 }, { y: 102 }] });
  expect(movedShape(RADIAL, { x: 50, y: 0 })).toEqual({ ...RADIAL, from: 950, to: 1250 });
  expect(grownShape(BOX, { x: 10, y: -100 })).toMatchObject({ width: 70, height: 1 });
  expect(grownShape(CIRCLE, { x: 5, y: 0 })).toMatchObject({ radius: 30 });
  expect(grownShape(LINE, { x: 5, y: 0 })).toBe(LINE);
});

it('a shape closes its outline where it is a region', () => {
  for (const region of [BOX, CIRCLE, TRIANGLE]) {
    const outline = outlineOf(region);
    expect(outline.at(-1)!.x).toBeCloseTo(outline[0]!.x, 9);
    expect(outline.at(-1)!.y).toBeCloseTo(outline[0]!.y, 9);
  }
  expect(lengthOf(BOX)).toBe(200);
  expect(lengthOf(LINE)).toBe(50);
  expect(lengthOf(RADIAL)).toBeCloseTo(300, 6);
});

it('a shape needs enough vertices at different places to be complete', () => {
  let polygon = extendedShape('polygon', LINE, { x: 0, y: 0 });
  expect(polygon).toEqual({ kind: 'polygon', vertices: [{ x: 0, y: 0 }] });
  polygon = extendedShape('polygon', extendedShape('polygon', polygon, { x: 9.96, y: 0 }), { x: 0, y: 10 });
  expect(isComplete(polygon)).toBe(true);
  expect(polygon).toMatchObject({ vertices: [{ x: 0 }, { x: 10 }, { y: 10 }] });
  const place = { x: 3, y: 4 };
  expect(isComplete({ kind: 'path', vertices: [place, place] })).toBe(false);
  expect(isComplete({ kind: 'path', vertices: [place] })).toBe(false);
});

it('a shape begins in the middle of the view, a radial line away from the Sun, and becomes the parameters of the API', () => {
  expect(usualShape('box', { x: 10, y: 20 }, 400)).toEqual({ kind: 'box', x: 10, y: 20, width: 200, height: 200 });
  expect(usualShape('radial', { x: 0, y: -1000 }, 400)).toEqual({ kind: 'radial', angle: 180, from: 900, to: 1100 });
  expect(isComplete(usualShape('radial', { x: 0, y: 0 }, 400))).toBe(true);
  expect(shapeParameters(BOX)).toEqual({ x: 100, y: 200, width: 60, height: 40 });
  expect(shapeParameters(CIRCLE)).toEqual({ circle: '[-50,30,25]' });
  expect(shapeParameters(TRIANGLE)).toEqual({ polygon: '[[0,0],[100,0],[0,100]]' });
  expect(shapeParameters(LINE)).toEqual({ path: '[[0,0],[30,40]]' });
  expect(shapeParameters(RADIAL)).toEqual({ radial: '[270,900,1200]' });
});

it('a place of the sky and a point of the picture are converted both ways, with the distance of the observer', () => {
  const place = seenPlace({ x: 400, y: -300 }, 0.99);
  expect(place.x).toBeCloseTo(396, 2);
  expect(place.y).toBeCloseTo(297, 2);
  const point = shownPoint(place, 0.99);
  expect(point.x).toBeCloseTo(400, 9);
  expect(point.y).toBeCloseTo(-300, 9);
});

it('vertices as text parse in any punctuation, and as they are printed', () => {
  const vertices = [
    { x: 100, y: -20.5 },
    { x: 300, y: 200 },
  ];
  for (const text of ['100, −20.5; 300, 200', '[[100,-20.5],[300,200]]', '100 -20.5 300 200', printVertices(vertices)]) {
    expect(parseVertices('path', text)).toEqual(vertices);
  }
});

it.each(['', '100, 100', '1, 2, 3', '1, 2; 3, x', '1, 2; 3, 1000000', '0 0 '.repeat(101)])('no vertices are in %j', (text) => {
  expect(parseVertices('path', text)).toBeNull();
});

it('vertices as text need three for a polygon', () => {
  expect(parseVertices('polygon', '0, 0; 1, 1')).toBeNull();
  expect(parseVertices('polygon', '0, 0; 1, 1; 2, 0')).toHaveLength(3);
});
