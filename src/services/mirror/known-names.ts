import type { BulkRegister } from '../../ports/bulk.ts';
import { keyedName } from '../../storage/keys.ts';

/** The names among `fileNames` that the archive has, or has withdrawn: a mirror does not bring back what an operator has removed. */
export async function knownNames(
  register: Pick<BulkRegister, 'lookUp'>,
  fileNames: readonly string[],
): Promise<ReadonlySet<string>> {
  const { images, withdrawnKeys } = await register.lookUp(fileNames);
  return new Set([...images.keys(), ...[...withdrawnKeys].map(keyedName)]);
}
