import type { DataSource } from './datasource.ts';
import { memberSources } from './xrt.ts';

/** Oldest and newest image, milliseconds since 1970. */
export interface Extent {
  readonly startMs: number;
  readonly endMs: number;
}

/** By source id; a source without images is not there. */
export type Extents = ReadonlyMap<number, Extent>;

/** Extent of a source, of a group that of its members together; null without images. */
export function extentOf(source: DataSource, extents: Extents): Extent | null {
  const members = memberSources(source.id);
  const known = (members.length ? members : [source.id]).flatMap((id) => extents.get(id) ?? []);
  if (!known.length) return null;
  return {
    startMs: Math.min(...known.map((extent) => extent.startMs)),
    endMs: Math.max(...known.map((extent) => extent.endMs)),
  };
}
