// Moves of shards between the image databases of a service.
import type { HeldShards } from '../domain/shards.ts';

/** A shard, the database that it leaves and the one that it moves to, by the names of their bindings. */
export interface ShardMove {
  readonly shard: number;
  readonly from: string;
  readonly to: string;
}

/** Tables with rows of a shard, in the order in which they are copied. */
export const SHARD_TABLES = ['images', 'withdrawn_images', 'foreign_names'] as const;

/** A place between two rows of a shard. */
export interface ShardCursor {
  readonly table: (typeof SHARD_TABLES)[number];
  /** Key of the last row before this place: an id, or a file name; empty at the beginning of the table. */
  readonly after: string;
}

/** A page of rows that are now equal in both databases. */
export interface ComparedPage {
  readonly rows: number;
  /** Whether the databases differed, so that the rows were copied. */
  readonly wasCopied: boolean;
  /** SHA-256 of the rows in the database that the shard leaves, in hexadecimal. */
  readonly sha256: string;
  /** Null after the last page. */
  readonly next: ShardCursor | null;
}

/** Every step may be repeated, and fails when the shard is in no state for it. */
export interface ShardMoves {
  /** Bindings of the image databases, and the one that serves each shard in this version of the service. */
  readonly databases: readonly string[];
  readonly serving: readonly string[];
  held(): Promise<HeldShards>;
  /** Refuses writes to the shard from now on. */
  freeze(move: ShardMove): Promise<void>;
  /** Compares the page at the cursor, and copies it where the databases differ. */
  copyPage(move: ShardMove, cursor: ShardCursor): Promise<ComparedPage>;
  /** Enters the shard, frozen, in the database that it moves to, as the latest generation. */
  enter(move: ShardMove): Promise<void>;
  /** Marks the shard as moved in the database that it leaves, once this version of the service has it in the other one. */
  leave(move: ShardMove): Promise<void>;
  /** Allows writes to the shard in the database that it has moved to. */
  open(move: ShardMove): Promise<void>;
  /** Ends a move before the service has switched: the shard is open again where it was. */
  cancel(move: ShardMove): Promise<void>;
  /** Deletes rows of a shard that has been moved. @returns whether some are left */
  deleteRows(move: ShardMove): Promise<boolean>;
}
