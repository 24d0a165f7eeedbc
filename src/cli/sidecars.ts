// npm run sidecars
import { command, expected, FLAG, isoInstant, SERVICE_HELP, serviceAccess, sourceIds, TEXT } from './command.ts';
import { adminClient, type SidecarRange } from './ingest/admin-client.ts';

const HELP = `npm run sidecars -- [options]

Makes coefficient sidecars in a running service, from which images are decoded 4 to 9 times as fast, confirms the laws of images
by their pixels, without which they have no values, and makes the grids of long light curves. The service does all of this for new
images itself, and makes the other parts when an image is viewed closely; this prepares older images and those of a planned event.
May be stopped and repeated: existing parts, verdicts and grids are kept.

  --sources 10,13   source ids; all that have images unless given
  --from ISO        first instant, such as 2024-05-10T00:00:00Z; the first image unless given
  --to ISO          last instant; the last image unless given
  --parts A,B,C     A: up to a quarter of the size; B: half; C: full resolution (A)
  --renew           make existing parts again

${SERVICE_HELP}

Exit status: 0 done, 1 failed.`;

const OPTIONS = { sources: TEXT, from: TEXT, to: TEXT, parts: { ...TEXT, default: 'A' }, renew: FLAG } as const;

const ALL_PARTS = ['A', 'B', 'C'] as const;

function partsOf(text: string): SidecarRange['parts'] {
  const parts = text.split(',').map((part) => ALL_PARTS.find((known) => known === part.trim().toUpperCase()));
  if (parts.includes(undefined)) throw expected('A, B and C, separated by commas,', 'parts', text);
  return parts as SidecarRange['parts'];
}

/** The last instant of a second: dates of the service have no fraction. */
const lastInstant = (iso: string): string => new Date(Date.parse(iso) + 999).toISOString();

await command(HELP, OPTIONS, async ({ values }) => {
  const wanted = values.sources === undefined ? null : sourceIds('sources', values.sources);
  const parts = partsOf(values.parts);
  const from = values.from === undefined ? null : isoInstant('from', values.from);
  const to = values.to === undefined ? null : isoInstant('to', values.to);
  const client = adminClient(...(await serviceAccess(process.env)));
  const sources = (await client.sources()).filter(({ sourceId }) => wanted?.includes(sourceId) ?? true);
  if (sources.length === 0) throw new Error(`The service has no images${wanted ? ` of source ${wanted.join(' or ')}` : ''}.`);
  for (const { sourceId, start, end } of sources) {
    const total = { made: 0, kept: 0, none: 0, surveyed: 0, days: 0 };
    for (let next: string | null = from ?? start; next !== null; ) {
      const done = await client.makeSidecars({ sourceId, from: next, to: to ?? lastInstant(end), parts, renew: values.renew });
      for (const key of ['made', 'kept', 'none', 'surveyed', 'days'] as const) total[key] += done[key];
      next = done.next;
    }
    console.log(
      `source ${sourceId}: ${total.made} made, ${total.kept} kept, ${total.none} without a sidecar; ${total.surveyed} surveyed, grids of ${total.days} days`,
    );
  }
});
