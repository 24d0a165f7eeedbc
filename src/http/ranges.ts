// Range requests for one range of bytes: RFC 9110, section 14.

/** A non-empty range of bytes inside the representation. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const SINGLE_RANGE = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i;

/**
 * The range of a representation of `size` bytes that a Range header selects. `whole`: no header, another unit, several ranges or
 * a malformed range, which section 14.2 allows to ignore. `unsatisfiable`: the response is 416.
 */
export function requestedRange(header: string | null, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = SINGLE_RANGE.exec(header ?? '');
  if (!match) return 'whole';
  const [, first, last] = match;
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length > 0 ? { offset: size - length, length } : 'unsatisfiable';
  }
  const offset = Number(first);
  if (last !== '' && Number(last) < offset) return 'whole';
  if (offset >= size) return 'unsatisfiable';
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  return { offset, length: end - offset };
}

/** `bytes 0-99/1234`. */
export function contentRange({ offset, length }: ByteRange, size: number): string {
  return `bytes ${offset}-${offset + length - 1}/${size}`;
}
