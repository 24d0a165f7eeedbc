import type { MirrorUpstream } from '../ports.ts';
import { ApiUpstream } from './api-upstream.ts';
import { PoliteClient, type Politeness } from './polite-client.ts';
import { TreeUpstream } from './tree-upstream.ts';

export type MirrorKind = 'tree' | 'api';

/** An upstream of the kind at an address that an operator has chosen. */
export function mirrorUpstream(kind: MirrorKind, address: string, politeness: Politeness): MirrorUpstream {
  const client = new PoliteClient(politeness);
  return kind === 'tree' ? new TreeUpstream(address, client) : new ApiUpstream(address, client);
}
