// npm run reconcile [-- --mend]
import { type FaultKind, type ReconciliationCursor, WALKS } from '../operator/reconciliation/find-faults.ts';
import type { ReconciledStep } from '../operator/reconciliation/reconcile.ts';
import { INTERRUPTED, interruption } from '../platform/util/interrupt.ts';
import { command, expected, FLAG, reportFile, SERVICE_HELP, serviceAccess, showProgress, TEXT } from './command.ts';
import { adminJson, posted } from './ingest/admin-client.ts';

const HELP = `npm run reconcile -- [options]

Compares the files of a running service with its index, in both directions, and shows what does not fit: files without a row, rows without
their file, files of another length or hash, and sidecars and records of an older version or of no image. States the ids of images beside
files that state none. The service does the same by itself (RECONCILED_PERCENT), and logs what it finds.

  --contents     reads every file whose hash the listing of the bucket does not state; otherwise ten of each thousand
  --mend         adds rows for files without one; moves damaged files below quarantine/ and withdraws their images; withdraws images
                 without a file, so that they can be ingested again; deletes sidecars and records that are of no use
  --from PLACE   begins at the position that an interrupted or failed run has shown
  --report FILE  writes each fault as a line of JSON: kind, path, sentence, mended

${SERVICE_HELP}

Exit status: 0 everything fits or is mended, 1 failed, 2 faults are left, 130 interrupted.`;

const EXIT = { good: 0, left: 2, interrupted: INTERRUPTED } as const;

const positionText = ({ walk, after }: ReconciliationCursor) => `${walk}:${after}`;

function cursorOf(text: string): ReconciliationCursor {
  const [name = '', ...after] = text.split(':');
  const walk = WALKS.find((known) => known === name);
  if (walk === undefined) throw expected('a position that an interrupted run has shown', 'from', text);
  return { walk, after: after.join(':') };
}

type Tally = { found: number; mended: number };

function table(counts: Readonly<Record<string, number>>, kinds: ReadonlyMap<FaultKind, Tally>): string {
  const counted = Object.entries(counts).map(([name, count]) => `${name.padEnd(14)} ${count}`);
  const lines = [...kinds].map(
    ([kind, { found, mended }]) => `${kind.padEnd(14)} ${found}${mended > 0 ? `, ${mended} mended` : ''}`,
  );
  return [...counted, ...(lines.length > 0 ? lines : ['no faults'])].join('\n');
}

await command(HELP, { mend: FLAG, contents: FLAG, from: TEXT, report: TEXT }, async ({ values }) => {
  let cursor: ReconciliationCursor | null = values.from === undefined ? { walk: WALKS[0], after: '' } : cursorOf(values.from);
  const json = adminJson(...(await serviceAccess(process.env)));
  const report = reportFile(values.report);
  const interrupted = interruption();
  const progress = showProgress('reconcile');
  const kinds = new Map<FaultKind, Tally>();
  let [examined, stated] = [0, 0];
  while (cursor !== null && !interrupted.aborted) {
    const position: ReconciliationCursor = cursor;
    const request = json<ReconciledStep>('/reconciliation', posted({ cursor, mend: values.mend, contents: values.contents }));
    const step: ReconciledStep = await request.catch((error: Error) => {
      progress.finish();
      console.log(`failed: go on with --from '${positionText(position)}'`);
      throw error;
    });
    examined += step.examined;
    stated += step.stated;
    for (const fault of step.faults) {
      const tally = kinds.get(fault.kind) ?? { found: 0, mended: 0 };
      kinds.set(fault.kind, { found: tally.found + 1, mended: tally.mended + (fault.mended === null ? 0 : 1) });
      console.log(`${fault.kind} ${fault.path}: ${fault.sentence}${fault.mended === null ? '' : ` (${fault.mended})`}`);
      report.write(fault);
    }
    progress.update(examined, null);
    cursor = step.next;
  }
  progress.finish();
  console.log(table({ examined, ...(stated > 0 ? { 'ids stated': stated } : {}) }, kinds));
  if (cursor !== null) console.log(`interrupted: go on with --from '${positionText(cursor)}'`);
  await report.end();
  if (cursor !== null) return EXIT.interrupted;
  return [...kinds.values()].some(({ found, mended }) => found > mended) ? EXIT.left : EXIT.good;
});
