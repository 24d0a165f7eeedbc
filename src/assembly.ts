// The assembly of this isolate, made for its first request.
import { type Assembly, assemble } from './assemble.ts';
import type { Env } from './env.ts';
import type { ResponseCaches } from './ports/images.ts';

let assembled: Assembly | undefined;

export function assembly(env: Env, workersCache: ResponseCaches): Assembly {
  assembled ??= assemble(env, workersCache);
  return assembled;
}

/** Forgets the assembly with its caches, for bindings that have been emptied. */
export function forgetAssembly(): void {
  assembled = undefined;
}
