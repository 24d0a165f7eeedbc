import { expect, it } from 'vitest';
import { hex, hmacSha256Hex, randomHex, sha256, sha256Hex } from '../../../src/platform/util/bytes.ts';

it('digests write each byte as two lower-case hexadecimal digits', () => {
  expect(hex(Uint8Array.of(0, 10, 255))).toBe('000aff');
  expect(hex(new Uint8Array(0))).toBe('');
});

it('digests give the SHA-256 of FIPS 180-4, appendix B.1, for bytes and for text', async () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(await sha256Hex('abc')).toBe(abc);
  expect(await sha256Hex(Uint8Array.of(0x61, 0x62, 0x63))).toBe(abc);
  expect(hex(await sha256('abc'))).toBe(abc);
});

it('digests hash only the bytes of a view', async () => {
  const view = new TextEncoder().encode('xabcx').subarray(1, 4);
  expect(await sha256Hex(view)).toBe(await sha256Hex('abc'));
});

it('digests give the HMAC-SHA-256 of RFC 4231, test case 2', async () => {
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  expect(await hmacSha256Hex('Jefe', 'what do ya want for nothing?')).toBe(expected);
});

it('digests draw random digits of the requested length', () => {
  const drawn = [randomHex(16), randomHex(16)];
  for (const digits of drawn) expect(digits).toMatch(/^[0-9a-f]{32}$/);
  expect(drawn[0]).not.toBe(drawn[1]);
});
