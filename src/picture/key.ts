// Keys of pictures. What is cached, stored, shared or not drawn again has its key from here, never one made by hand.
import { sha256Hex } from '../platform/util/bytes.ts';
import { operationKey, operationsOf } from './operations/operations.ts';

const isImage = (value: unknown): value is { readonly key: string; readonly sha256: string } =>
  typeof value === 'object' && value !== null && 'sha256' in value && 'key' in value;

/** All members of a picture, or of a part of it, as text, so that none is forgotten; images by the name and the hash of their files. */
export const pictureKey = (picture: object): string =>
  JSON.stringify(picture, (_, value: unknown) => (isImage(value) ? `${value.key} ${value.sha256}` : value));

/** SHA-256 of the key of a picture, in hexadecimal digits, for the names of stored files. */
export const pictureHash = (picture: object): Promise<string> => sha256Hex(pictureKey(picture));

/** The key of a picture of one image in the edge cache: its operations as their parameters, and its other members. */
export function addressKey(picture: object): Readonly<Record<string, string | number>> {
  const operations = operationsOf(picture);
  const others = Object.entries(picture).filter(([name]) => !(name in operations));
  return { ...Object.fromEntries(others), ...operationKey(operations) };
}
