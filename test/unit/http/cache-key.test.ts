import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CanonicalValue, cacheKey } from '../../../src/platform/http/operation.ts';

it('cacheKey sorts names, shortens numbers, joins lists and omits undefined values', () => {
  const key = cacheKey('getTile', { y: -0, x: 1.5, id: 26, list: [10, 'a'], json: false, none: undefined });
  expect(key).toBe('getTile?id=26&json=false&list=10%2Ca&x=1.5&y=0');
});

it('cacheKey ignores the order of parameters, and is unique for each set of values', () => {
  const text = fc.string({ maxLength: 8 });
  const values = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.oneof(text, fc.integer(), fc.boolean()), { maxKeys: 5 });
  fc.assert(
    fc.property(values, values, (a, b) => {
      const reversed = Object.fromEntries(Object.entries(a).reverse());
      expect(cacheKey('op', reversed)).toBe(cacheKey('op', a));
      const spelled = (v: Record<string, CanonicalValue>) =>
        JSON.stringify(
          Object.entries(v)
            .map(([k, x]) => [k, String(x)])
            .sort(),
        );
      expect(cacheKey('op', a) === cacheKey('op', b)).toBe(spelled(a) === spelled(b));
    }),
  );
});
