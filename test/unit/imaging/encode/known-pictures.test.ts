import { describe, expect, it } from 'vitest';
import { digestOf, KNOWN_PICTURES } from '../../../support/imaging/known-pictures.ts';

describe('a known frame', () => {
  it.each(KNOWN_PICTURES)('encodes $name to the known digest', async (picture) => {
    expect(await digestOf(picture)).toBe(picture.digest);
  });
});
