import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asFailure, errorResponse, isOurFault } from '../../src/platform/http/errors.ts';
import { Failure, type FailureKind, shown } from '../../src/platform/util/errors.ts';
import { anyText } from '../support/system/any-text.ts';

it.each<[unknown, string]>([
  [undefined, 'nothing'],
  [null, 'nothing'],
  ['', 'an empty value'],
  [{}, 'an object'],
  [[1], 'a list'],
  [12, '12'],
  ['a\n\u0000b\u202e', 'a??b?'],
  ['x'.repeat(60), 'x'.repeat(60)],
  ['x'.repeat(61), `${'x'.repeat(59)}…`],
])('shown renders %j as %j', (value, text) => {
  expect(shown(value)).toBe(text);
});

it('shown is short and printable for any value', () => {
  fc.assert(
    fc.property(anyText(200), (value) => {
      const text = shown(value);
      expect(text.length).toBeLessThanOrEqual(60);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

it.each<[string, object]>([
  ['D1_ERROR: Network connection lost.', {}],
  ['D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.', {}],
  ['D1_ERROR: D1 DB is overloaded. Requests queued for too long.', {}],
  ['put: We encountered an internal error. Please try again. (10001)', {}],
  ['The Durable Object is busy.', { overloaded: true }],
  ['An error of the platform.', { retryable: true }],
])('asFailure asks to try again after %j %j', async (message, marks) => {
  const failure = asFailure(new Error('Failed query: select', { cause: Object.assign(new Error(message), marks) }));
  const response = errorResponse(failure, { requestId: 'r', actionForm: false });
  expect([response.status, response.headers.get('Retry-After'), isOurFault(failure)]).toEqual([503, '5', true]);
  expect(await response.json()).toEqual({
    error: 'The storage of the service does not respond at the moment. Try again in a few seconds.',
    errno: 29,
    requestId: 'r',
  });
});

it('asFailure takes a failed constraint for a fault of the service, which no repetition mends', () => {
  expect(asFailure(new Error('D1_ERROR: UNIQUE constraint failed: images.id: SQLITE_CONSTRAINT')).kind).toBe('internal');
});

it('isOurFault is false for overload and true for internal errors', () => {
  expect(isOurFault(new Failure('busy', 'Too many pictures.'))).toBe(false);
  expect(isOurFault(new Failure('internal', 'It broke.'))).toBe(true);
});

it.each<[FailureKind, number, number]>([
  ['bad-token', 401, 45],
  ['conflict', 409, 25],
  ['refused-codestream', 422, 14],
  ['refused-header', 422, 13],
  ['incomplete', 422, 25],
  ['no-law', 422, 60],
  ['no-data', 404, 61],
  ['busy', 503, 29],
  ['storage-full', 503, 29],
  ['index-moved', 503, 29],
  ['read-only', 503, 29],
])('errorResponse maps %s to status %i and errno %i', async (kind, status, errno) => {
  const response = errorResponse(new Failure(kind, 'It failed.'), { requestId: 'r', actionForm: false });
  expect([response.status, await response.json()]).toEqual([status, { error: 'It failed.', errno, requestId: 'r' }]);
});
