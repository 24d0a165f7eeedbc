import fc from 'fast-check';
import { expect, test } from 'vitest';
import { badParameter, Failure, shown } from '../../src/domain/errors.ts';
import { asFailure, errorResponse, isOurFault } from '../../src/http/errors.ts';

test.each<[unknown, string]>([
  [undefined, 'nothing'],
  [null, 'nothing'],
  ['', 'an empty value'],
  [{}, 'an object'],
  [[1], 'a list'],
  [12, '12'],
  ['a\n\u0000b\u202e', 'a??b?'],
  ['x'.repeat(60), 'x'.repeat(60)],
  ['x'.repeat(61), `${'x'.repeat(59)}…`],
])('%j is shown as %j', (value, text) => {
  expect(shown(value)).toBe(text);
});

test('no value makes a sentence long or unprintable', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (value) => {
      const text = shown(value);
      expect(text.length).toBeLessThanOrEqual(60);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('a missing value and a bad one are told apart by errno', async () => {
  const body = async (value: unknown) =>
    errorResponse(badParameter('id', 'a number', value), { requestId: 'r', actionForm: false }).json();
  expect(await body(undefined)).toEqual({
    error: 'Expected a number for id, got nothing.',
    errno: 28,
    parameter: 'id',
    requestId: 'r',
  });
  expect(await body('x')).toEqual({ error: 'Expected a number for id, got x.', errno: 25, parameter: 'id', requestId: 'r' });
});

test('the action form turns 404, and nothing else, into 500', () => {
  const status = (failure: Failure, actionForm: boolean) => errorResponse(failure, { requestId: 'r', actionForm }).status;
  expect(status(new Failure('no-image', 'none'), true)).toBe(500);
  expect(status(new Failure('no-image', 'none'), false)).toBe(404);
  expect(status(new Failure('bad-parameter', 'bad'), true)).toBe(400);
});

test('what is thrown by accident shows nothing of itself', async () => {
  const failure = asFailure(new TypeError('cannot read /srv/archive'));
  expect(failure.kind).toBe('internal');
  expect(await errorResponse(failure, { requestId: 'r', actionForm: false }).text()).not.toContain('archive');
});

test('work that is put off is no fault of ours to look at; what breaks inside is', () => {
  expect(isOurFault(new Failure('busy', 'Too many pictures.'))).toBe(false);
  expect(isOurFault(new Failure('internal', 'It broke.'))).toBe(true);
});
