import { expect, it } from 'vitest';
import { hex, hmacSha256Hex, sha256, sha256Hex } from '../../../src/platform/util/bytes.ts';

it('digests give the SHA-256 of FIPS 180-4, appendix B.1, for bytes and for text', async () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(await sha256Hex('abc')).toBe(abc);
  expect(await sha256Hex(Uint8Array.of(0x61, 0x62, 0x63))).toBe(abc);
  expect(hex(await sha256('abc'))).toBe(abc);
});

it('digests give the HMAC-SHA-256 of RFC 4231, test case 2', async () => {
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  expect(await hmacSha256Hex('Jefe', 'what do ya want for nothing?')).toBe(expected);
});
