// What is said of the sources of events.
import type { SourceState } from '../../ports/event-lookup.ts';

const token = (name: string) => name.replace(/[^\w.-]+/g, '_');

/** X-Events-Sources: `HEK=ok, CCMC=stale;age=300, RHESSI=failed`, with what else is to be known: `missing=a+b`, `skipped=3`, `cut`. */
export function sourcesHeader(states: readonly SourceState[]): Record<string, string> {
  const said = states
    .map(({ source, state, ageSeconds, missing, skipped, isCut }) =>
      [
        `${source}=${state}`,
        ageSeconds === null ? '' : `age=${ageSeconds}`,
        missing.length > 0 ? `missing=${missing.map(token).join('+')}` : '',
        skipped > 0 ? `skipped=${skipped}` : '',
        isCut ? 'cut' : '',
      ]
        .filter((part) => part !== '')
        .join(';'),
    )
    .join(', ');
  return said === '' ? {} : { 'X-Events-Sources': said };
}
