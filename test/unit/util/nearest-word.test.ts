import { expect, it } from 'vitest';
import { nearestWord } from '../../../src/platform/util/nearest-word.ts';

const OPERATIONS = ['getClosestImage', 'getTile', 'getJP2Image', 'getJP2Header', 'goto'];

it.each([
  ['getClosestImages', 'getClosestImage'],
  ['getclosestimage', 'getClosestImage'],
  ['getClosetImage', 'getClosestImage'],
  ['getTiles', 'getTile'],
  ['getJP2Headr', 'getJP2Header'],
  ['got', 'goto'],
  ['goot', 'goto'],
])('nearestWord finds the word for %s', (given, word) => {
  expect(nearestWord(given, OPERATIONS)).toBe(word);
});

it.each(['', 'x', 'getMovie', 'getJPX', 'constructor', 'g'.repeat(65)])('nearestWord finds no word for %j', (given) => {
  expect(nearestWord(given, OPERATIONS)).toBeNull();
});

it('nearestWord ignores the letter case of short words, and takes the nearest of several words, the first of equal ones', () => {
  expect(nearestWord('ID', ['id', 'x0'])).toBe('id');
  expect(nearestWord('x1', ['x0'])).toBeNull();
  expect(nearestWord('date1', ['date3', 'dated', 'date'])).toBe('date3');
  expect(nearestWord('dates', ['dater', 'dates'])).toBe('dates');
});
