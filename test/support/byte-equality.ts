// Setup file of the tests in Node. toEqual visits every element of a typed array; equal bytes of pictures are compared at once.
// Arrays that differ are left to toEqual, which describes the difference.
import { expect } from 'vitest';

function haveEqualBytes(one: unknown, other: unknown): true | undefined {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other) || one.constructor !== other.constructor) return undefined;
  const [bytes, others] = [one, other].map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength));
  return bytes?.equals(others as Buffer) ? true : undefined;
}

// Vitest runs a setup file before each test file, also where many of them share a process.
const registered = globalThis as { comparesBytes?: true };
if (!registered.comparesBytes) expect.addEqualityTesters([haveEqualBytes]);
registered.comparesBytes = true;
