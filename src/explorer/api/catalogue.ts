// The sources that have images, and the places of planets and spacecraft as observers.
import { dateOf } from '../../../clients/typescript/core.ts';
import type { Schemas } from '../../../clients/typescript/operations.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import type { Viewpoint } from '../../sun/coordinates/sphere.ts';
import type { Range } from '../model/timeline.ts';
import { call } from './request.ts';

type Tree = Schemas['DatasourceTree'];
type Leaf = Schemas['Datasource'];

export interface Source extends Range, Readonly<Pick<Leaf, 'sourceId' | 'layeringOrder' | 'credit'>> {
  /** `AIA 171`. */
  readonly name: string;
  readonly path: readonly string[];
}

const isLeaf = (node: Tree | Leaf): node is Leaf => typeof node.sourceId === 'number';

function sourcesOf(node: Tree | Leaf, path: readonly string[]): Source[] {
  if (!isLeaf(node)) return Object.entries(node).flatMap(([name, child]) => sourcesOf(child, [...path, name]));
  const { sourceId, nickname: name, layeringOrder, credit, start, end } = node;
  return [{ sourceId, name, path, layeringOrder, credit, startMs: dateOf(start).getTime(), endMs: dateOf(end).getTime() }];
}

export async function loadCatalogue(): Promise<Source[]> {
  return sourcesOf(await call<'getDataSources', Tree>('getDataSources', {}), []);
}

/** Time for which the places of observers are taken to be the same: none moves by more than a twentieth of a degree. */
const STEP_MS = 10 * MINUTE_MS;

/** The places of those from which the Sun may be seen, by name. @throws as `call` */
export async function observerPlaces(atMs: number, signal?: AbortSignal): Promise<ReadonlyMap<string, Required<Viewpoint>>> {
  const time = Math.floor(atMs / STEP_MS) * STEP_MS;
  const { places } = await call('getSolarBodies', { time, observers: 'earth' }, signal);
  return new Map(Object.entries(places).map(([name, { distance_au, ...at }]) => [name, { ...at, distanceAu: distance_au }]));
}
