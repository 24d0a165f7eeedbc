import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..', '..');
/** The folder that the image adds to its base. */
const COPIED = 'build/movie';

const dockerfile = readFileSync(join(root, 'containers/movie/Dockerfile'), 'utf8');
const context = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');

it('the container image of the movie worker adds the bundle alone, of which its build context consists', () => {
  expect([...dockerfile.matchAll(/^(?:COPY|ADD) .*/gm)].map(([line]) => line)).toEqual([`COPY ${COPIED} ./`]);
  expect(context.slice(-2)).toEqual(['*', `!${COPIED}`]);
});

it('the container image of the movie worker names its base by digest, and runs as an unprivileged user with a check', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(new Set(bases)).toEqual(new Set([expect.stringMatching(/^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/)]));
  expect(dockerfile).toContain("'ffmpeg=7:5.1.*'");
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
  expect(dockerfile).toMatch(/^HEALTHCHECK /m);
});
