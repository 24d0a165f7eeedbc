import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Failure } from '../../src/domain/errors.ts';
import { parseLayers, printLayers } from '../../src/domain/recipe/layers.ts';
import { layers } from '../support/recipes.ts';

/** Whatever a user sends is understood or refused with a sentence that names the parameter. */
const refusal = (parse: (text: string) => unknown, text: string): Failure | null => {
  try {
    parse(text);
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
};

test('layers are what they were after they are printed', () => {
  fc.assert(
    fc.property(layers, (list) => {
      const text = printLayers(list);
      expect(text.length).toBeLessThanOrEqual(1000);
      expect(parseLayers(text)).toEqual(list);
      expect(printLayers(parseLayers(text))).toBe(text);
    }),
  );
});

test('any text is layers or is refused naming layers', () => {
  const pieces = fc.constantFrom(
    '[',
    ']',
    ',',
    '13',
    '1',
    '100',
    'SDO',
    'AIA',
    '171',
    '%5B',
    '%',
    '-',
    '1e9',
    'NaN',
    ' ',
    '2024-01-31T12:00:00Z',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const failure = refusal(parseLayers, text);
      if (failure)
        expect(failure).toMatchObject({ parameter: 'layers', message: expect.stringMatching(/^Expected .* got .*\.$/s) });
    }),
  );
});
