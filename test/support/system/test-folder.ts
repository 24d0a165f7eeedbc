import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

/** Path of a temporary folder that exists while the tests of this file or block run, or anew for each of them. */
export function testFolder(lifetime: 'block' | 'each test' = 'block'): string {
  const folder = join(tmpdir(), `helioedge-tests-${randomUUID().slice(0, 8)}`);
  const make = () => void mkdirSync(folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (lifetime === 'block') {
    beforeAll(make);
    afterAll(remove);
  } else {
    beforeEach(make);
    afterEach(remove);
  }
  return folder;
}
