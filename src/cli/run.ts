import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from './settings.ts';

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** What the program reads from standard input; nothing unless given. */
  readonly input?: string;
}

/** A program ended with another status than 0. The message ends with what it printed. */
export class ProgramError extends Error {}

/** Runs a program of the project or its packages to its end and gives what it printed. Throws ProgramError when it fails. */
export async function run(program: string, args: readonly string[] = [], { env = {}, input }: RunOptions = {}): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(projectRoot, program), ...args], {
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'pipe'],
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
  child.stdin.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  process.off('exit', stop);
  if (code !== 0) throw new ProgramError(`${program} ${args.join(' ')} failed.\n${output.trim()}`);
  return output;
}
