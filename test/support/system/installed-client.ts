// The typed client as its users install it.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../src/cli/command.ts';
import { SERVICE_VERSION } from '../../../src/platform/util/identity.ts';

const run = promisify(execFile);

/** Packs the client, and installs it for programs in the folder. @throws Error with the output of npm */
export async function installClient(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules', 'helioedge-client');
  await mkdir(installed, { recursive: true });
  await run('npm', ['pack', '--pack-destination', folder], { cwd: join(projectRoot, 'clients', 'typescript') });
  const file = `helioedge-client-${SERVICE_VERSION}.tgz`;
  await run('tar', ['-xzf', file, '-C', installed, '--strip-components=1'], { cwd: folder });
}
