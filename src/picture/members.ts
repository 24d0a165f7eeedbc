// Members of canonical strings: JSON objects with their members in a fixed order, without those that have their default value.
import { badParameter, type Failure } from '../platform/util/errors.ts';
import { isJsonObject, parsedJson } from '../platform/util/json.ts';
import { parseRequestDate } from '../sun/time.ts';

export type Members = ReadonlyMap<string, unknown>;

export const badMember = (what: string, value: unknown): Failure => badParameter('recipe', what, value ?? 'nothing');

/**
 * The members of a canonical string.
 * @param known Names of the members that it may have
 * @throws Failure when the text is not a JSON object or has unknown members
 */
export function readMembers(text: string, known: readonly string[]): Members {
  const value = parsedJson(text);
  if (value === undefined) throw badMember('JSON', text);
  if (!isJsonObject(value)) throw badMember('a JSON object', value);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw badMember('known members', unknown);
  return new Map(Object.entries(value));
}

export function stringIn(members: Members, name: string): string {
  const value = members.get(name);
  if (typeof value !== 'string') throw badMember(`a text as ${name}`, value);
  return value;
}

export function flagIn(members: Members, name: string, byDefault: boolean): boolean {
  const value = members.get(name) ?? byDefault;
  if (typeof value !== 'boolean') throw badMember(`true or false as ${name}`, value);
  return value;
}

export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export function positiveIn(members: Members, name: string): number {
  const value = members.get(name);
  if (!isNumber(value) || value <= 0) throw badMember(`a number above 0 as ${name}`, value);
  return value;
}

/** Whole milliseconds since 1970. */
export function timeIn(members: Members, name: string): number {
  const atMs = parseRequestDate(stringIn(members, name));
  if (atMs === null) throw badMember(`a UTC date as ${name}`, members.get(name));
  return Math.floor(atMs);
}
