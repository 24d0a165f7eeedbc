// Sends the RHESSI flare list to a service in batches of lines.
import { isRhessiHeader } from '../../events/records/rhessi.ts';
import { textOf } from '../command.ts';
import { adminJson } from './admin-client.ts';

const LINES_AT_ONCE = 2000;

interface BatchResult {
  readonly added: number;
  readonly refused: number;
  readonly problems: readonly { readonly line: number; readonly error: string }[];
}

function dataLines(text: string): { lines: string[]; firstLine: number } {
  const lines = text.split(/\r?\n/);
  const header = lines.findIndex(isRhessiHeader);
  if (header < 0) throw new Error('The list has no line id,start,peak,... before the flares.');
  while (lines.at(-1)?.trim() === '') lines.pop();
  if (lines.length === header + 1) throw new Error('The list has no flares.');
  return { lines: lines.slice(header + 1), firstLine: header + 2 };
}

/** Sends the flares of a list; `onProblem` gets the number and error of refused lines. @throws Error without column names, or of a batch */
export async function importRhessi(
  serviceUrl: string,
  token: string,
  list: string,
  onProblem: (line: number, error: string) => void,
): Promise<Pick<BatchResult, 'added' | 'refused'>> {
  const { lines, firstLine } = dataLines(list);
  const json = adminJson(serviceUrl, token);
  let [added, refused] = [0, 0];
  for (let i = 0; i < lines.length; i += LINES_AT_ONCE) {
    const body = lines.slice(i, i + LINES_AT_ONCE).join('\n');
    const batch = await json<BatchResult>('/rhessi', { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body });
    added += batch.added;
    refused += batch.refused;
    for (const { line, error } of batch.problems) onProblem(firstLine + i + line - 1, error);
  }
  return { added, refused };
}

/** Periods around the day of the sample archive and around its RHESSI images. */
const PERIODS = ['from=2024-05-03&to=2024-05-18', 'from=2012-05-03&to=2012-05-18'] as const;

/** Imports the list of the sample Sun if the service has no flares. @returns the number of imported flares @throws Error without a response */
export async function fillEmptyFlareList(serviceUrl: string, token: string, demoUrl: string): Promise<number> {
  const { flares } = await adminJson(serviceUrl, token)<{ flares: number }>('/rhessi');
  if (flares > 0) return 0;
  let taken = 0;
  for (const period of PERIODS) {
    const list = await textOf(`${demoUrl}/rhessi/list.csv?${period}`);
    const { added } = await importRhessi(serviceUrl, token, list, (line, error) => {
      throw new Error(`Line ${line} of the sample flare list was refused: ${error}`);
    });
    taken += added;
  }
  return taken;
}
