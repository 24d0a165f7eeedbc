// Names of feature recognition methods (FRMs) and ids of single events in both notations.
import { fromBase64, toBase64 } from '../../../util/base64.ts';
import { nameKey } from './selection.ts';

const FRM = /^[\\()\w+.\- ]+$/;
const FRM_CHARACTERS = 60;
/** Limit in bytes of an event id; those of the HEK, the longest, have about a hundred. */
const ID_BYTES = 512;

/** Escapes characters with a meaning in CSS selectors, as clients expect. */
const escaped = (name: string): string => name.replace(/[.()+]/g, '\\$&');

/** The key of an FRM name, or null for an invalid name. */
export function parseFrm(text: string): string | null {
  const key = nameKey(text);
  return FRM.test(text) && key.length > 0 && key.length <= FRM_CHARACTERS ? key : null;
}

export function printFrm(frm: string): string {
  return escaped(frm);
}

function idOfBase64(text: string): string | null {
  const digits = text.replaceAll('\\', '').replace(/[_=]{1,2}$/, '');
  if (digits.length === 0 || digits.length % 4 === 1 || digits.length * 3 > ID_BYTES * 4 || !/^[A-Za-z0-9+/]+$/.test(digits))
    return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64(digits));
  } catch {
    return null;
  }
}

/** Pin, FRM and id of `PIN--FRM--<id in Base64>`, or null. */
export function parseInstance(text: string): { pin: string; frm: string; id: string } | null {
  const match = /^([A-Z0-9]{2,3})--(.+)--(.+)$/.exec(text);
  const frm = match && parseFrm(match[2]!);
  const id = match && idOfBase64(match[3]!);
  return match && frm && id ? { pin: match[1]!, frm, id } : null;
}

export function printInstance({ pin, frm, id }: { pin: string; frm: string; id: string }): string {
  return `${pin}--${escaped(frm)}--${escaped(toBase64(new TextEncoder().encode(id))).replaceAll('=', '_')}`;
}
