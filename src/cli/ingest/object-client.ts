// Client of the operations that index the objects of a bucket.
import { adminRequests, failureOf } from './admin-client.ts';

/** `path`: in the layout of the archive. */
export interface BucketObject {
  readonly path: string;
  readonly size: number;
}

export interface IndexedBatch {
  readonly added: number;
  readonly known: number;
  readonly problems: readonly {
    readonly path: string;
    readonly outcome: 'refused' | 'conflict' | 'busy' | 'missing';
    readonly reason?: string;
    readonly sentence?: string;
  }[];
  readonly timesMs: Readonly<Record<string, number>>;
}

export interface ObjectClient {
  /** The objects whose paths begin with `prefix`, after the path `after`, in the order of their paths. */
  list(prefix: string, after?: string): AsyncGenerator<BucketObject>;
  /** Adds rows for at most a hundred objects. */
  index(objects: readonly BucketObject[], readPackets: boolean): Promise<IndexedBatch>;
}

export function objectClient(serviceUrl: string, token: string): ObjectClient {
  const request = adminRequests(serviceUrl, token);
  return {
    async *list(prefix, after = '') {
      for (let last = after; ; ) {
        const response = await request(`/objects?${new URLSearchParams({ prefix, after: last })}`);
        if (!response.ok) throw await failureOf(response);
        const { objects } = (await response.json()) as { objects: BucketObject[] };
        yield* objects;
        const end = objects.at(-1);
        if (!end) return;
        last = end.path;
      }
    },

    async index(objects, readPackets) {
      const response = await request('/objects', { method: 'POST', body: JSON.stringify({ objects, readPackets }) });
      if (!response.ok) throw await failureOf(response);
      return (await response.json()) as IndexedBatch;
    },
  };
}
