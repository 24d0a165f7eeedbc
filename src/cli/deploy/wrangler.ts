import { ProgramError } from '../run.ts';

/**
 * Runs wrangler and resolves with its output.
 * @throws ProgramError when it fails
 */
export type Wrangler = (args: readonly string[], input?: string) => Promise<string>;

/** A JSON list on lines of its own. */
const JSON_LIST = /^\[.*\]$|^\[[\s\S]*?^\]/m;

/** The JSON list in the output of wrangler, which may have notices around it. @throws Error without one */
export function jsonList(output: string): unknown {
  const list = JSON_LIST.exec(output)?.[0];
  if (list === undefined) throw new Error(`Expected a list from wrangler, got ${output.slice(0, 200).trim() || 'nothing'}.`);
  return JSON.parse(list);
}

/** Whether the work ends without a ProgramError. @throws the other errors of the work */
export async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof ProgramError) return false;
    throw error;
  }
}
