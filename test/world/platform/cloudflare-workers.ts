// What the classes of Durable Objects import from the runtime.
export class DurableObject<E = unknown> {
  readonly ctx: unknown;
  readonly env: E;

  constructor(ctx: unknown, env: E) {
    this.ctx = ctx;
    this.env = env;
  }
}

export const exports = {};
