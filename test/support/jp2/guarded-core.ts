// The decoder core compiled with another arena: every block is filled with garbage and followed by guard bytes, which are
// checked when the block is released. Detects writes outside a block, and reliance on zeroed memory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const ROOT = join(import.meta.dirname, '../../..');

/** Blocks of at most 32 bytes have no guard: packet segments must be contiguous (wasm/core/t2.ts). */
const GUARDED_ARENA = `
const CEILING: usize = 64 << 20;
const GUARD: usize = 64;
const RUBBISH: u8 = 0xa5;
const MOST_BLOCKS: i32 = 1 << 16;
const BLOCKS: usize = memory.data((1 << 16) * 4, 16);
const BASE: usize = (__heap_base + 15) & ~15;
let top: usize = BASE;
let blocks: i32 = 0;

export let brokenGuards: i32 = 0;

export function mark(): usize {
  return top;
}

export function release(to: usize): void {
  while (blocks > 0) {
    const guard = <usize>load<u32>(BLOCKS + (<usize>(blocks - 1) << 2));
    if (guard < to) break;
    for (let i: usize = 0; i < GUARD; i++) {
      if (load<u8>(guard + i) == RUBBISH) continue;
      brokenGuards++;
      break;
    }
    blocks--;
  }
  top = to;
}

export function reset(): void {
  release(BASE);
}

export function alloc(bytes: usize): usize {
  const guarded = bytes > 32 && blocks < MOST_BLOCKS;
  const size = (bytes + (guarded ? GUARD : 0) + 15) & ~15;
  if (bytes > CEILING || top + size > CEILING) return 0;
  const need = top + size;
  const have = <usize>memory.size() << 16;
  if (need > have && memory.grow(<i32>((need - have + 0xffff) >> 16)) < 0) return 0;
  const p = top;
  top = need;
  memory.fill(p, RUBBISH, size);
  if (guarded) {
    store<u32>(BLOCKS + (<usize>blocks << 2), <u32>(p + bytes));
    blocks++;
  }
  return p;
}

export function allocZeroed(bytes: usize): usize {
  const p = alloc(bytes);
  if (p) memory.fill(p, 0, bytes);
  return p;
}
`;

function readSource(name: string, baseDir: string): string | null {
  if (name.endsWith('wasm/core/arena.ts')) return GUARDED_ARENA;
  try {
    const text = readFileSync(join(baseDir, name), 'utf8');
    return name.endsWith('wasm/core/index.ts') ? `${text}\nexport { brokenGuards } from './arena';\n` : text;
  } catch {
    return null;
  }
}

/** Compiles it, with the features of wasm/build.ts. */
export async function compileGuardedCore(): Promise<WebAssembly.Module> {
  let binary: Uint8Array | undefined;
  const flags = ['-O1', '--noAssert', '--runtime=stub', '--enable=simd', '--enable=bulk-memory', '--use=abort='];
  const memory = ['--initialMemory=32', '--maximumMemory=1024'];
  const { error, stderr } = await asc.main(
    ['wasm/core/index.ts', '--outFile=guarded.wasm', '--baseDir', ROOT, ...flags, ...memory],
    {
      readFile: readSource,
      writeFile: (name, contents) => {
        if (name.endsWith('.wasm')) binary = contents as Uint8Array;
      },
      listFiles: () => null,
    },
  );
  if (error || !binary) throw new Error(`Expected the guarded core to compile, got ${String(stderr)}`);
  return compiledModule(binary);
}

/** A module of bytes, for which the types of Workers have no constructor. */
export function compiledModule(bytes: Uint8Array): WebAssembly.Module {
  const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;
  return new Module(bytes);
}
