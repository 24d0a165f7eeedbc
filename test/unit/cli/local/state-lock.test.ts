import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkWorkerVariables } from '../../../../src/cli/command.ts';
import { expectFreePort, freePort } from '../../../../src/cli/local/ports.ts';
import { lockState, openStateDir } from '../../../../src/cli/local/state-lock.ts';
import { testFolder } from '../../../support/system/test-folder.ts';

const MODULE = join(import.meta.dirname, '../../../../src/cli/local/state-lock.ts');

const folder = testFolder();

it('the lock of a state folder refuses a second service and names the first, until that one has ended in any way', async () => {
  // Garbage is collected in the process, which must not end its lock.
  const script = `import { lockState } from ${JSON.stringify(MODULE)}; lockState(${JSON.stringify(folder)}, 1234); gc(); console.log('locked'); setInterval(() => {}, 1000);`;
  const holder = spawn(
    process.execPath,
    ['--expose-gc', '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    await once(holder.stdout, 'data');
    expect(() => lockState(folder, 1235)).toThrow(
      `The state in ${folder} is in use by the service at port 1234 (${holder.pid}). Stop that service, or set STATE_DIR.`,
    );
  } finally {
    holder.kill('SIGKILL');
  }
  await once(holder, 'exit');
  lockState(folder, 1235).stop();
  lockState(folder, 1236).stop();
});

it('the lock of a state folder states the error of a lock file that is none', async () => {
  const damaged = await mkdtemp(join(folder, 'damaged-'));
  await writeFile(join(damaged, 'lock'), 'this is no database, and long enough to be read as one'.repeat(20));
  expect(() => lockState(damaged, 1)).toThrow(/^The file "lock" in .* cannot be locked: file is not a database\.$/);
  const folderInstead = await mkdtemp(join(folder, 'folder-'));
  await mkdir(join(folderInstead, 'lock'));
  expect(() => lockState(folderInstead, 1)).toThrow(/^The file "lock" in .* cannot be locked: unable to open database file\.$/);
});

it('the state folder opens a folder that does not exist with its parents', () => {
  expect(() => openStateDir(join(folder, 'a', 'b'))).not.toThrow();
  expect(() => openStateDir(join(folder, 'a', 'b'))).not.toThrow();
});

it('the state folder refuses a path that cannot be a folder, with the reason', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const start = 'Expected a folder that can be written for STATE_DIR, got';
  expect(() => openStateDir(file)).toThrow(`${start} ${file}, which is a file.`);
  expect(() => openStateDir(join(file, 'x'))).toThrow(`${start} ${join(file, 'x')}, whose path contains a file.`);
});

it('the variables of the Worker rejects wrong values before the start, without showing secrets', () => {
  expect(() => checkWorkerVariables({ ADMIN_TOKEN: 'short' })).toThrow('Expected at least 16 characters for ADMIN_TOKEN, got 5.');
  expect(() => checkWorkerVariables({ JPIP_ROOT: 'http://x' })).toThrow(/^Expected jpip:.* for JPIP_ROOT, got http:\/\/x\.$/);
  expect(() => checkWorkerVariables({ ADMIN_TOKEN: 'long enough for a token', JPIP_ROOT: '' })).not.toThrow();
});

it('a port that is in use is named with its process, and the next step', async () => {
  const port = await freePort();
  await expect(expectFreePort(port)).resolves.toBeUndefined();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await expect(expectFreePort(port)).rejects.toThrow(
    new RegExp(`^Port ${port} is in use by \\S+ \\(${process.pid}\\)\\. Set PORT to another\\.$`),
  );
  await new Promise((resolve) => server.close(resolve));
});
