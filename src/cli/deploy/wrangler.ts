import { ProgramError } from '../run.ts';

/** Runs wrangler and resolves with its output. @throws ProgramError when it fails */
export type Wrangler = (args: readonly string[], input?: string) => Promise<string>;

const JSON_LIST = /^\[.*\]$|^\[[\s\S]*?^\]/m;

/** The JSON list in the output of wrangler, which may have notices around it. @throws Error without one */
export function jsonList(output: string): unknown {
  const list = JSON_LIST.exec(output)?.[0];
  if (list === undefined) throw new Error(`The output of wrangler has no list: ${output.slice(0, 200).trim() || 'it is empty'}.`);
  return JSON.parse(list);
}

/** The JSON object in the output of wrangler, which may have notices before it. @throws Error without one */
export function jsonObject(output: string): unknown {
  const object = /^\{[\s\S]*\}/m.exec(output)?.[0];
  if (object === undefined)
    throw new Error(`The output of wrangler has no object: ${output.slice(0, 200).trim() || 'it is empty'}.`);
  return JSON.parse(object);
}

export async function executed(wrangler: Wrangler, binding: string, config: string, statement: string): Promise<unknown[]> {
  const output = await wrangler(['d1', 'execute', binding, '--remote', '--json', '--config', config, '--command', statement]);
  const [query] = jsonList(output) as { readonly results: unknown[] }[];
  return query?.results ?? [];
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
