// Purges of the platform's edge cache within the limits of its calls.
import type { PurgeCall } from '../platform/http/local-cache.ts';
import { PURGES } from '../platform/limits/images.ts';
import { PurgeRefused, type ResponseCaches } from './ports.ts';

/** Purges by as few calls as there can be: a hundred tags each, and one for everything where these were too many. */
export function purgesBy(call: PurgeCall): ResponseCaches {
  const { tagsPerCall, calls } = PURGES;
  const accepted = async (what: Parameters<PurgeCall>[0]) => {
    if (!(await call(what))) throw new PurgeRefused('The platform refused a purge.');
  };
  return {
    async purge(tags) {
      if (tags === 'everything' || tags.length > calls * tagsPerCall) return accepted({ purgeEverything: true });
      for (let i = 0; i < tags.length; i += tagsPerCall) await accepted({ tags: tags.slice(i, i + tagsPerCall) });
    },
  };
}
