// Texts of any characters: those of fast-check take most of a second of processor time at their first use in a process.
import fc from 'fast-check';

export const anyText = (maxLength: number) =>
  fc.array(fc.nat(0x10ffff), { maxLength }).map((points) => String.fromCodePoint(...points).toWellFormed());
