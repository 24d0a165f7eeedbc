// Location hint of new databases and of a new bucket: where most images are written, and searches are answered that no replica answers.
import { expected } from '../arguments.ts';

const LOCATIONS: readonly string[] = ['weur', 'eeur', 'apac', 'oc', 'wnam', 'enam'];

/**
 * The hint, given or asked for. Null for a place near this machine.
 * @throws ArgumentError for another text
 */
export async function locationHint(
  given: string | null,
  ask: ((question: string) => Promise<string>) | null,
): Promise<string | null> {
  const question = `Location of the databases and the bucket, one of ${LOCATIONS.join(', ')} (empty: near this machine): `;
  const hint = given ?? (ask ? (await ask(question)).trim() : '');
  if (hint === '') return null;
  if (LOCATIONS.includes(hint)) return hint;
  throw expected(`one of ${LOCATIONS.join(', ')}`, 'location', hint);
}
