// Native Grok and OpenJPEG on windows, through the program native-decode.cpp. It is compiled for the run, which needs g++,
// pkg-config, libgrokj2k1-dev and libopenjp2-7-dev of Debian.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rect } from '../../../src/jp2/structure.ts';

export type Library = 'grok' | 'openjpeg';

/** Milliseconds of processor time of `count` decodes. */
export type NativeDecode = (library: Library, reduce: number, window: Rect, count: number) => number[];

const SOURCE = join(import.meta.dirname, 'native-decode.cpp');

function output(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
  return stdout;
}

/** Compiles the program into `directory`; null, with a line in the log, where that is not possible. */
export function compileNative(directory: string, log: (line: string) => void): string | null {
  const program = join(directory, 'native-decode');
  try {
    const libraries = output('pkg-config', ['--cflags', '--libs', 'libgrokj2k', 'libopenjp2']).trim().split(/\s+/);
    output('g++', ['-O2', '-o', program, SOURCE, ...libraries]);
    return program;
  } catch (error) {
    log(`windows are measured without native Grok and OpenJPEG: ${(error as Error).message.trim()}`);
    return null;
  }
}

/** Decodes windows of a file with a compiled program. */
export function nativeDecoder(program: string, directory: string, file: Uint8Array): NativeDecode {
  const path = join(directory, 'image.jp2');
  writeFileSync(path, file);
  return (library, reduce, { x0, y0, x1, y1 }, count) =>
    output(program, [library, path, ...[reduce, x0, y0, x1, y1, count].map(String)])
      .trim()
      .split('\n')
      .map(Number);
}
