// The catalogue tree of getDataSources: nested objects from observatory to leaf, limited to sources that have images.
import { formatDateTime } from '../time.ts';
import { type DataSource, fourLevelPath, type Level, pathOf } from './datasource.ts';
import { allSources } from './sources.ts';

/** Oldest and newest image, milliseconds since 1970. */
export type Extent = { readonly startMs: number; readonly endMs: number };

/** Extents by source id; sources without images are absent. */
export type Extents = ReadonlyMap<number, Extent>;

/** Extent of a source, or the combined extent of a group's members; null without images. */
function extentOf(source: DataSource, extents: Extents): Extent | null {
  const known = (source.members ?? [source.id]).flatMap((id) => extents.get(id) ?? []);
  if (!known.length) return null;
  return {
    startMs: Math.min(...known.map((extent) => extent.startMs)),
    endMs: Math.max(...known.map((extent) => extent.endMs)),
  };
}

/** In v1 every path has four levels, the labels are absent, and leaves of the default form have no uiLabels. */
type ApiVersion = 1 | 2;

interface CatalogueLeaf {
  readonly sourceId: number;
  readonly nickname: string;
  readonly layeringOrder: number;
  /** `YYYY-MM-DD HH:MM:SS` */
  readonly start: string;
  readonly end: string;
  /** The line by which pictures name the mission. */
  readonly credit?: string;
  readonly uiLabels?: readonly { readonly label: string; readonly name: string }[];
}

export type CatalogueBranch = { [name: string]: CatalogueBranch | CatalogueLeaf };

export interface VerboseNode extends Partial<Omit<CatalogueLeaf, 'uiLabels'>> {
  readonly name: string;
  readonly description: string;
  readonly label?: string;
  default?: true;
  readonly children?: VerboseBranch;
}

export type VerboseBranch = { [name: string]: VerboseNode };

/** Observatories that the verbose form always contains. */
const ALWAYS_ENABLED = ['soho', 'sdo'];

/** The source that clients select initially; every node on its path is marked `default`. */
const DEFAULT_SOURCE_ID = 10;

/** U+205F between a wavelength and its unit, because clients search for this character and replace it. */
const MEDIUM_MATHEMATICAL_SPACE = '\u205f';

type Present = { readonly source: DataSource; readonly extent: Extent; readonly path: readonly Level[] };

const presentSources = (extents: Extents, version: ApiVersion): Present[] =>
  allSources.flatMap((source) => {
    const extent = extentOf(source, extents);
    return extent ? [{ source, extent, path: version === 1 ? fourLevelPath(source) : pathOf(source) }] : [];
  });

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const leafOf = ({ source, extent }: Present, version: ApiVersion): CatalogueLeaf => ({
  sourceId: source.id,
  nickname: source.nickname,
  layeringOrder: source.layeringOrder,
  start: formatDateTime(extent.startMs),
  end: formatDateTime(extent.endMs),
  ...(version === 1 ? {} : { credit: source.credit.line }),
});

/** The default form: branches are plain objects by name, in display order. */
export function catalogueTree(extents: Extents, version: ApiVersion): CatalogueBranch {
  const present = presentSources(extents, version).sort(
    (a, b) => a.source.displayOrder - b.source.displayOrder || compareText(a.path[0]!.name, b.path[0]!.name),
  );
  const root: CatalogueBranch = {};
  for (const entry of present) {
    let branch = root;
    for (const level of entry.path.slice(0, -1)) {
      branch[level.name] ??= {};
      branch = branch[level.name] as CatalogueBranch;
    }
    const uiLabels = entry.path.map(({ label, name }) => ({ label, name }));
    branch[entry.path.at(-1)!.name] = { ...leafOf(entry, version), ...(version === 1 ? {} : { uiLabels }) };
  }
  return root;
}

/** `171` becomes `171 Å`, `white-light` becomes `White Light`. */
function verboseLeafName(name: string, units: string | null): string {
  if (/^\d+$/.test(name)) return `${name}${MEDIUM_MATHEMATICAL_SPACE}${units ?? ''}`;
  return name.replaceAll('-', ' ').replace(/(^|\s)\S/g, (first) => first.toUpperCase());
}

const described = (level: Level, name: string, version: ApiVersion) => ({
  name,
  description: level.description,
  ...(version === 1 ? {} : { label: level.label }),
});

/** The verbose form, with names and descriptions: SOHO, SDO and the known observatories of `enable` (any case), in descending order. */
export function verboseCatalogueTree(extents: Extents, version: ApiVersion, enable: readonly string[] = []): VerboseBranch {
  const enabled = new Set([...ALWAYS_ENABLED, ...enable.map((name) => name.toLowerCase())]);
  const present = presentSources(extents, version)
    .filter(({ path }) => enabled.has(path[0]!.name.toLowerCase()))
    .sort((a, b) => compareText(b.path[0]!.name, a.path[0]!.name));
  const root: VerboseBranch = {};
  for (const entry of present) {
    let branch = root;
    const isDefault = entry.source.id === DEFAULT_SOURCE_ID;
    for (const level of entry.path.slice(0, -1)) {
      branch[level.name] ??= { ...described(level, level.name, version), children: {} };
      const node = branch[level.name]!;
      if (isDefault) node.default = true;
      branch = node.children!;
    }
    const last = entry.path.at(-1)!;
    const name = verboseLeafName(last.name, entry.source.units);
    branch[last.name] = { ...described(last, name, version), ...leafOf(entry, version), ...(isDefault ? { default: true } : {}) };
  }
  return root;
}
