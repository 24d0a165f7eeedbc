// The sources that have images.
import { dateOf } from '../../../clients/typescript/core.ts';
import type { Schemas } from '../../../clients/typescript/operations.ts';
import { call } from './request.ts';

export interface Source {
  readonly sourceId: number;
  /** `AIA 171`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly layeringOrder: number;
  readonly credit: string;
  readonly startMs: number;
  readonly endMs: number;
}

type Tree = Schemas['DatasourceTree'];
type Leaf = Schemas['Datasource'];

const isLeaf = (node: Tree | Leaf): node is Leaf => typeof node.sourceId === 'number';

function sourcesOf(node: Tree | Leaf, path: readonly string[]): Source[] {
  if (!isLeaf(node)) return Object.entries(node).flatMap(([name, child]) => sourcesOf(child, [...path, name]));
  const { sourceId, nickname: name, layeringOrder, credit, start, end } = node;
  return [{ sourceId, name, path, layeringOrder, credit, startMs: dateOf(start).getTime(), endMs: dateOf(end).getTime() }];
}

export async function loadCatalogue(): Promise<Source[]> {
  return sourcesOf(await call<'getDataSources', Tree>('getDataSources', {}), []);
}
