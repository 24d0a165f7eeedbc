// Keys of a virtual Zarr store: documents and chunks of its groups and arrays, in the notations of format 2 and format 3.

const DOCUMENTS = ['.zgroup', '.zattrs', '.zarray', '.zmetadata', 'zarr.json'] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

/** Arrays of each resolution level. */
const ARRAYS = ['bytes', 'values', 'time', 'id', 'wcs'] as const;
export type ArrayName = (typeof ARRAYS)[number];

/** Dimensions of the arrays, by which the notation of a chunk is checked. */
const RANK: Readonly<Record<ArrayName, number>> = { bytes: 3, values: 3, time: 1, id: 1, wcs: 2 };

export interface ChunkAddress {
  readonly level: number;
  readonly array: ArrayName;
  /** Numbers of the chunk along each dimension. */
  readonly indices: readonly number[];
}

/** Member of a store that a key names. `revision`: null in the store of an address without one, whose only member is the group of its revision. */
export type StoreKey =
  | { readonly kind: 'store'; readonly revision: string | null }
  | {
      readonly kind: 'document';
      readonly revision: string | null;
      readonly name: DocumentName;
      /** Null: the group of the revision, or the store. */
      readonly level: number | null;
      /** Null: a group. */
      readonly array: ArrayName | null;
    }
  | { readonly kind: 'chunk'; readonly revision: string; readonly chunk: ChunkAddress };

export const REVISION_DIGITS = 16;

const NUMBER = '0|[1-9]\\d{0,5}';
const REVISION = `[0-9a-f]{${REVISION_DIGITS}}`;
const STORE = new RegExp(`^(?:(${REVISION})/?)?$`);
const MEMBER = new RegExp(`^(?:(${REVISION})/(?:(${NUMBER})/(?:(${ARRAYS.join('|')})/)?)?)?([^/]+)$`);
const CHUNK = new RegExp(`^(${REVISION})/(${NUMBER})/(${ARRAYS.join('|')})/(?:c/(.+)|([^/]+))$`);
const INDICES = new RegExp(`^(?:${NUMBER})(?:\\.(?:${NUMBER}))*$`);

const isDocument = (name: string): name is DocumentName => (DOCUMENTS as readonly string[]).includes(name);

function documentOf(key: string): StoreKey | null {
  const match = MEMBER.exec(key);
  const name = match?.[4];
  if (!match || name === undefined || !isDocument(name)) return null;
  const [, revision = null, level, array] = match;
  return {
    kind: 'document',
    revision,
    name,
    level: level === undefined ? null : Number(level),
    array: (array ?? null) as ArrayName,
  };
}

/** Format 2 separates the numbers of a chunk by dots, format 3 by slashes after `c`. */
function chunkOf(key: string): StoreKey | null {
  const match = CHUNK.exec(key);
  if (!match) return null;
  const [, revision, level, name, slashed, dotted] = match;
  const text = slashed === undefined ? dotted! : slashed.includes('.') ? '' : slashed.replaceAll('/', '.');
  const array = name as ArrayName;
  const indices = INDICES.test(text) ? text.split('.').map(Number) : [];
  return indices.length === RANK[array]
    ? { kind: 'chunk', revision: revision!, chunk: { level: Number(level), array, indices } }
    : null;
}

/** Member that a key names; null for one that no store has. */
export function parseStoreKey(key: string): StoreKey | null {
  const store = STORE.exec(key);
  return store ? { kind: 'store', revision: store[1] ?? null } : (documentOf(key) ?? chunkOf(key));
}
