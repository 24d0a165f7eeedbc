// Actions of the clients of a world, which are the lines of a story.
import type { Armed, Service } from '../calls.ts';
import type { MirrorFault } from '../upstreams/mirrored.ts';
import type { HostFault } from '../upstreams/video-host.ts';

export const LETTERS = ['a', 'b', 'c', 'd'] as const;
export type Letter = (typeof LETTERS)[number];

/** An action of a history. Those between two passes of time run at the same time. */
export type Action =
  | { readonly do: 'upload' | 'break off'; readonly name: Letter; readonly content: number }
  | { readonly do: 'withdraw'; readonly name: Letter }
  | { readonly do: 'view' | 'header' | 'file'; readonly id: number }
  | { readonly do: 'look'; readonly name: Letter }
  | { readonly do: 'read'; readonly of: number; readonly path: number }
  | {
      readonly do: 'search' | 'jpx' | 'stream' | 'screenshot' | 'old screenshot' | 'movie' | 'movie status' | 'put' | 'shorten';
      readonly of: number;
    }
  | { readonly do: 'webhook' | 'reconcile' | 'index' | 'cron' | 'deploy' | 'roll back' | 'kill' | 'kill worker' | 'end worker' }
  | { readonly do: 'move shard' | 'rotate tokens' }
  | { readonly do: 'flood' | 'appear' | 'share' }
  | { readonly do: 'mirror fault'; readonly fault: MirrorFault }
  | { readonly do: 'host fault'; readonly fault: HostFault }
  | { readonly do: 'save' | 'restore'; readonly database: 'IMAGES' | 'DB' }
  | { readonly do: 'refuse'; readonly status: number }
  | ({ readonly do: 'fault' } & Readonly<Armed>)
  | { readonly do: 'outage'; readonly on: Service; readonly ms: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'steps'; readonly count: number };
