// Python programs that compute independently of the service, with the packages of Debian.
import { execFile, execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { PYTHON } from '../programs.ts';

const run = promisify(execFile);

/** The output of a program of this folder. */
export function runPython(program: string, input = '', parameters: readonly string[] = []): string {
  const path = resolve(import.meta.dirname, program);
  return execFileSync(PYTHON, [path, ...parameters], { input, encoding: 'utf8', maxBuffer: 256 << 20 });
}

/** The same of a program that sends requests to this process. */
export async function runPythonBeside(program: string, parameters: readonly string[]): Promise<string> {
  return (await run(PYTHON, [resolve(import.meta.dirname, program), ...parameters], { encoding: 'utf8' })).stdout;
}
