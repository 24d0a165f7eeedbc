// The summary at the end of an ingest.
import { basename } from 'node:path';
import type { UploadReport } from './upload.ts';

const NAMES_PER_REASON = 3;

/** Counts of the outcomes, then each reason with its number of files and some of their names. */
export function uploadTable(report: UploadReport): string {
  const rows: [string, number][] = [
    ['accepted', report.added],
    ['already there', report.known],
    ['refused', report.refused.length],
    ['failed', report.failed.length],
    ...(report.left > 0 ? ([['not sent', report.left]] as [string, number][]) : []),
  ];
  const width = Math.max(...rows.map(([, count]) => String(count).length));
  const counts = rows.map(([name, count]) => `${name.padEnd(14)}${String(count).padStart(width)}`);
  return [...counts, ...reasons('refused', report.refused), ...reasons('failed', report.failed)].join('\n');
}

function reasons(heading: string, files: readonly { label: string; reason?: string; sentence: string }[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { label, reason, sentence } of files) {
    const text = reason ? `${reason}: ${sentence}` : sentence;
    groups.set(text, [...(groups.get(text) ?? []), basename(label)]);
  }
  return [...groups].flatMap(([text, names]) => {
    const more = names.length > NAMES_PER_REASON ? ` and ${names.length - NAMES_PER_REASON} more` : '';
    return ['', `${heading} ${names.length}: ${text}`, `  ${names.slice(0, NAMES_PER_REASON).join(', ')}${more}`];
  });
}
