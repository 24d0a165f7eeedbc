import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from './settings.ts';

/** Runs a program of the project or its packages to its end and gives its output; throws with it when the program fails. */
export async function run(program: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(projectRoot, program), ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  process.off('exit', stop);
  if (code !== 0) throw new Error(`${program} failed.\n${output.trim()}`);
  return output;
}
