import { expect, it } from 'vitest';
import { digestOf, KNOWN_PICTURES } from '../../../support/imaging/known-pictures.ts';

it.each(KNOWN_PICTURES)('a known frame encodes $name to the known digest', async (picture) => {
  expect(await digestOf(picture)).toBe(picture.digest);
});
