// Bump allocator of the decoder. Blocks are not freed singly: a caller takes a mark and later releases everything above it.

/** Ceiling of the linear memory in bytes; the module is linked with the same maximum (build.ts). */
const CEILING: usize = 64 << 20;

const BASE: usize = (__heap_base + 15) & ~15;
let top: usize = BASE;

/** Current top, to be given to `release` later. */
export function mark(): usize {
  return top;
}

export function release(to: usize): void {
  top = to;
}

/** Frees everything. All earlier pointers become invalid. */
export function reset(): void {
  top = BASE;
}

/** `bytes` of uninitialised memory aligned to 16, or 0 when the ceiling would be exceeded. */
export function alloc(bytes: usize): usize {
  const size = (bytes + 15) & ~15;
  if (bytes > CEILING || top + size > CEILING) return 0;
  const need = top + size;
  const have = <usize>memory.size() << 16;
  if (need > have && memory.grow(<i32>((need - have + 0xffff) >> 16)) < 0) return 0;
  const p = top;
  top = need;
  return p;
}

/** As `alloc`, zeroed. */
export function allocZeroed(bytes: usize): usize {
  const p = alloc(bytes);
  if (p) memory.fill(p, 0, bytes);
  return p;
}
