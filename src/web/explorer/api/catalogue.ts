// The sources that have images.
import { requestJson } from './request.ts';

export interface Source {
  readonly sourceId: number;
  /** `AIA 171`. */
  readonly name: string;
  /** Names from the observatory to the measurement. */
  readonly path: readonly string[];
  readonly layeringOrder: number;
  readonly startMs: number;
  readonly endMs: number;
}

interface Leaf extends Pick<Source, 'sourceId' | 'layeringOrder'> {
  readonly nickname: string;
  readonly start: string;
  readonly end: string;
}

type Tree = { readonly [name: string]: Tree | Leaf };

const dateMs = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`);

function isLeaf(node: Tree | Leaf): node is Leaf {
  return typeof node.sourceId === 'number';
}

function sourcesOf(node: Tree | Leaf, path: readonly string[]): Source[] {
  if (!isLeaf(node)) return Object.entries(node).flatMap(([name, child]) => sourcesOf(child, [...path, name]));
  const { sourceId, nickname: name, layeringOrder, start, end } = node;
  return [{ sourceId, name, path, layeringOrder, startMs: dateMs(start), endMs: dateMs(end) }];
}

export async function loadCatalogue(): Promise<Source[]> {
  return sourcesOf((await requestJson<Tree>('/v2/getDataSources/')).body, []);
}
