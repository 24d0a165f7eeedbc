import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROTOCOL_VERSION } from '../../../src/movies/worker-protocol.ts';

it('The protocol of the movie workers has a new version whenever its messages change.', () => {
  const text = ['protocol', 'reports'].map((part) => readFileSync(`src/movies/worker-${part}.ts`, 'utf8')).join('');
  const code = text.replace(/\/\*\*[\s\S]*?\*\/|^\/\/.*$|^import .*$/gm, '').replace(/\s+/g, ' ');
  const digest = createHash('sha256').update(code).digest('hex').slice(0, 8);
  expect([PROTOCOL_VERSION, digest], 'Raise PROTOCOL_VERSION, and write the version and the digest here.').toEqual([
    4,
    '845b02b7',
  ]);
});
