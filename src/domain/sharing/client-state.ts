// The view of the web client that a user shares, as text: the JSON Canonicalization Scheme (RFC 8785) for the values that JSON.parse
// returns.
import { badParameter } from '../errors.ts';

/**
 * JSON with the members of every object in the order of their names, so that equal values have equal texts.
 * @throws Failure `bad-parameter` for more than `maxDepth` nested objects and lists
 */
export function canonicalJson(value: unknown, maxDepth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (maxDepth === 0) throw badParameter('the request body', 'fewer nested objects and lists', value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, maxDepth - 1)).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, maxDepth - 1)}`);
  return `{${members.join(',')}}`;
}
