// The catalogue as getDataSources answers it: nested objects from observatory to leaf, only of sources that have images.
import { formatDateTime } from '../time.ts';
import { type DataSource, fourLevelPath, type Level, pathOf } from './datasource.ts';
import { type Extent, type Extents, extentOf } from './extent.ts';
import { allSources } from './sources.ts';

/** In v1 every path has four levels, the labels are absent, and leaves of the default form have no uiLabels. */
export type ApiVersion = 1 | 2;

export interface CatalogueLeaf {
  readonly sourceId: number;
  readonly nickname: string;
  readonly layeringOrder: number;
  /** `YYYY-MM-DD HH:MM:SS` */
  readonly start: string;
  readonly end: string;
  readonly uiLabels?: readonly { readonly label: string; readonly name: string }[];
}

export interface CatalogueBranch {
  [name: string]: CatalogueBranch | CatalogueLeaf;
}

export interface VerboseNode extends Partial<Omit<CatalogueLeaf, 'uiLabels'>> {
  readonly name: string;
  readonly description: string;
  readonly label?: string;
  default?: true;
  readonly children?: VerboseBranch;
}

export interface VerboseBranch {
  [name: string]: VerboseNode;
}

/** In the verbose form, observatories that need no `enable`. */
const ALWAYS_ENABLED = ['soho', 'sdo'];

/** The node that a client selects first, on every level down to it. */
const DEFAULT_SOURCE_ID = 10;

/** U+205F, between the name of a wavelength and its unit: clients replace it. */
const MEDIUM_MATHEMATICAL_SPACE = '\u205f';

interface Present {
  readonly source: DataSource;
  readonly extent: Extent;
  readonly path: readonly Level[];
}

function presentSources(extents: Extents, version: ApiVersion): Present[] {
  return allSources.flatMap((source) => {
    const extent = extentOf(source, extents);
    return extent ? [{ source, extent, path: version === 1 ? fourLevelPath(source) : pathOf(source) }] : [];
  });
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function leafOf({ source, extent }: Present): CatalogueLeaf {
  return {
    sourceId: source.id,
    nickname: source.nickname,
    layeringOrder: source.layeringOrder,
    start: formatDateTime(extent.startMs),
    end: formatDateTime(extent.endMs),
  };
}

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
    branch[entry.path.at(-1)!.name] = version === 1 ? leafOf(entry) : { ...leafOf(entry), uiLabels };
  }
  return root;
}

/** Observatory names of the `enable` parameter, lower case; brackets, blanks and quotes around them do not count. */
export function parseEnable(enable: string): string[] {
  return enable
    .split(',')
    .map((name) => name.replace(/[[\]"'\s]/g, '').toLowerCase())
    .filter((name) => name !== '');
}

/** `171` with its unit, `white-light` as `White Light`. */
function verboseLeafName(name: string, units: string | null): string {
  if (/^\d+$/.test(name)) return `${name}${MEDIUM_MATHEMATICAL_SPACE}${units ?? ''}`;
  return name.replaceAll('-', ' ').replace(/(^|\s)\S/g, (first) => first.toUpperCase());
}

function described(level: Level, name: string, version: ApiVersion) {
  return { name, description: level.description, ...(version === 1 ? {} : { label: level.label }) };
}

/**
 * The verbose form, where every node describes itself: SOHO, SDO and the observatories of `enable`, whose unknown names
 * are ignored. Observatories are in descending order of their names.
 */
export function verboseCatalogueTree(extents: Extents, version: ApiVersion, enable = ''): VerboseBranch {
  const enabled = new Set([...ALWAYS_ENABLED, ...parseEnable(enable)]);
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
    branch[last.name] = { ...described(last, name, version), ...leafOf(entry), ...(isDefault ? { default: true } : {}) };
  }
  return root;
}
