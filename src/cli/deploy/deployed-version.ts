// The version of the Worker that the account runs, as `wrangler versions view --json` shows it.
import { ProgramError } from '../run.ts';
import { jsonList, jsonObject, type Wrangler } from './wrangler.ts';

export interface DeployedVersion {
  readonly resources: {
    readonly bindings: readonly {
      readonly name: string;
      readonly type: string;
      readonly text?: string;
      readonly class_name?: string;
    }[];
  };
}

/** Refusals of the API for a Worker that the account does not have. */
const NO_WORKER = /\[code: ?(10007|10090)\]|was not found in your account|does not exist on your account/;

/** The output of a command; null when the account has no such Worker. @throws ProgramError for other failures */
export async function ofWorker(output: Promise<string>): Promise<string | null> {
  try {
    return await output;
  } catch (error) {
    if (error instanceof ProgramError && NO_WORKER.test(error.message)) return null;
    throw error;
  }
}

/** The latest version; null when the Worker has not been deployed. */
export async function latestVersion(wrangler: Wrangler, name: string): Promise<DeployedVersion | null> {
  const list = await ofWorker(wrangler(['versions', 'list', '--json', '--name', name]));
  const versions = list === null ? [] : (jsonList(list) as { readonly id: string; readonly number: number }[]);
  const [latest] = versions.sort((a, b) => b.number - a.number);
  if (!latest) return null;
  return jsonObject(await wrangler(['versions', 'view', latest.id, '--json', '--name', name])) as DeployedVersion;
}

export const hasClass = ({ resources }: DeployedVersion, className: string): boolean =>
  resources.bindings.some((binding) => binding.class_name === className);

export const variableOf = ({ resources }: DeployedVersion, variable: string): string | null =>
  resources.bindings.find(({ name }) => name === variable)?.text ?? null;
