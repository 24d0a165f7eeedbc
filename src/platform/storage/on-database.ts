// Adapters of one of the databases.
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { Databases } from './databases.ts';

export class OnMain {
  protected readonly main: D1Database;
  protected readonly db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.main = main;
    this.db = drizzle(main);
  }
}

export class OnOperations {
  protected readonly db: DrizzleD1Database;

  constructor({ operations }: Pick<Databases, 'operations'>) {
    this.db = drizzle(operations);
  }
}
