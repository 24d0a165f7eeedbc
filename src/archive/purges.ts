// Purges of the platform's edge cache within the limits of its calls.
import type { PurgeCall } from '../platform/http/local-cache.ts';
import { PURGES } from '../platform/limits/images.ts';
import { PurgeRefused } from './ports.ts';

/** Purges by as few calls as there can be: a hundred tags each, and one for everything where these were too many. */
export function purgesBy(call: PurgeCall) {
  const { tagsPerCall, calls } = PURGES;
  const accepted = async (what: Parameters<PurgeCall>[0]) => {
    if (!(await call(what))) throw new PurgeRefused('The platform refused a purge.');
  };
  return {
    /** Deletes the cached responses that have one of the tags, or all; others as well where the tags are very many. @throws PurgeRefused */
    async purge(tags: readonly string[] | 'everything'): Promise<void> {
      if (tags === 'everything' || tags.length > calls * tagsPerCall) return accepted({ purgeEverything: true });
      for (let i = 0; i < tags.length; i += tagsPerCall) await accepted({ tags: tags.slice(i, i + tagsPerCall) });
    },
  };
}

export type ResponseCaches = ReturnType<typeof purgesBy>;
