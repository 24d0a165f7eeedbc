// Documents of a Zarr store: format 2 (https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html) with consolidated metadata as zarr-python
// writes it, and format 3 (https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html) with metadata inline.

export type Attributes = Readonly<Record<string, unknown>>;

/** Types of the elements by their names in format 2. All are little-endian. */
const TYPES = { uint8: '|u1', int64: '<i8', float32: '<f4', float64: '<f8' } as const;

export interface StoreArray {
  readonly type: keyof typeof TYPES;
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly dimensions: readonly string[];
  readonly fill: 0 | 'NaN';
  readonly attributes: Attributes;
}

/** An array, or the attributes of a group. */
type StoreMember = StoreArray | { readonly attributes: Attributes };
/** The members of a store with their paths, as `0/bytes/`: each group, the store itself with an empty path, before what is in it. */
export type StoreTree = readonly (readonly [path: string, member: StoreMember])[];

const isArray = (member: StoreMember): member is StoreArray => 'shape' in member;

function documents2(member: StoreMember): Readonly<Record<string, object>> {
  if (!isArray(member)) return { '.zgroup': { zarr_format: 2 }, '.zattrs': member.attributes };
  const { type, shape, chunks, fill, dimensions, attributes } = member;
  const layout = { shape, chunks, dtype: TYPES[type], compressor: null, fill_value: fill, order: 'C', filters: null };
  return { '.zarray': { zarr_format: 2, ...layout }, '.zattrs': { _ARRAY_DIMENSIONS: dimensions, ...attributes } };
}

function document3(member: StoreMember): object {
  const { attributes } = member;
  if (!isArray(member)) return { zarr_format: 3, node_type: 'group', attributes };
  const { type, shape, chunks, dimensions, fill } = member;
  return {
    zarr_format: 3,
    node_type: 'array',
    shape,
    data_type: type,
    chunk_grid: { name: 'regular', configuration: { chunk_shape: chunks } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: fill,
    codecs: [type === 'uint8' ? { name: 'bytes' } : { name: 'bytes', configuration: { endian: 'little' } }],
    dimension_names: dimensions,
    attributes,
    storage_transformers: [],
  };
}

/** A document of the array or group at a path; null where a store has none. */
export function documentAt(store: StoreTree, path: string, name: DocumentName): object | null {
  const members = store.flatMap(([at, member]) => (at.startsWith(path) ? [[at.slice(path.length), member] as const] : []));
  const [own, ...below] = members;
  if (!own) return null;
  const [, member] = own;
  if (name === 'zarr.json') {
    if (isArray(member)) return document3(member);
    const metadata = Object.fromEntries(below.map(([at, one]) => [at.slice(0, -1), document3(one)]));
    return { ...document3(member), consolidated_metadata: { kind: 'inline', must_understand: false, metadata } };
  }
  if (name !== '.zmetadata') return documents2(member)[name] ?? null;
  if (isArray(member)) return null;
  const documents = members.flatMap(([at, one]) =>
    Object.entries(documents2(one)).map(([key, document]) => [at + key, document]),
  );
  return { zarr_consolidated_format: 1, metadata: Object.fromEntries(documents) };
}

// Keys of a virtual Zarr store: documents and chunks of its groups and arrays, in the notations of format 2 and format 3.

const DOCUMENTS = ['.zgroup', '.zattrs', '.zarray', '.zmetadata', 'zarr.json'] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

/** Arrays of each resolution level. */
const ARRAYS = ['bytes', 'values', 'time', 'id', 'wcs'] as const;
export type ArrayName = (typeof ARRAYS)[number];

/** Dimensions of the arrays, by which the notation of a chunk is checked. */
const RANK: Readonly<Record<ArrayName, number>> = { bytes: 3, values: 3, time: 1, id: 1, wcs: 2 };

/** Member of a store that a key names, by its place: a document, a chunk, or without either the store itself, or its group of a revision. */
export interface StoreKey {
  /** Unset in the store of an address without one, whose only member is the group of its revision. */
  readonly revision?: string | undefined;
  readonly level?: number | undefined;
  readonly array?: ArrayName | undefined;
  readonly document?: DocumentName;
  /** Numbers of the chunk along each dimension. */
  readonly chunk?: readonly number[];
}

export type ChunkKey = { readonly [Part in Exclude<keyof StoreKey, 'document'>]-?: NonNullable<StoreKey[Part]> };

export const isOfChunk = (key: StoreKey): key is ChunkKey => key.chunk !== undefined;

export const REVISION_DIGITS = 16;

const NUMBER = '0|[1-9]\\d{0,5}';
const KEY = new RegExp(`^(?:([0-9a-f]{${REVISION_DIGITS}})(?:/|$)(?:(${NUMBER})/(?:(${ARRAYS.join('|')})/)?)?)?(.*)$`, 's');
const INDEX = new RegExp(`^(?:${NUMBER})$`);

const isDocument = (name: string): name is DocumentName => (DOCUMENTS as readonly string[]).includes(name);

/** Format 2 separates the numbers of a chunk by dots, format 3 by slashes after `c`. */
function chunkOf(name: string, array: ArrayName): readonly number[] | null {
  const indices = name.startsWith('c/') ? name.slice(2).split('/') : name.split('.');
  return indices.length === RANK[array] && indices.every((index) => INDEX.test(index)) ? indices.map(Number) : null;
}

/** Member that a key names; null for one that no store has. */
export function parseStoreKey(key: string): StoreKey | null {
  const [, revision, level, name, rest = ''] = KEY.exec(key)!;
  const array = name as ArrayName | undefined;
  const place = { revision, level: level === undefined ? undefined : Number(level), array };
  if (rest === '') return level === undefined ? place : null;
  if (isDocument(rest)) return { ...place, document: rest };
  const chunk = array && chunkOf(rest, array);
  return chunk ? { ...place, chunk } : null;
}
