// The key of a picture, or of a part of it, within an isolate or a program.

const isImage = (value: unknown): value is { readonly key: string; readonly sha256: string } =>
  typeof value === 'object' && value !== null && 'sha256' in value && 'key' in value;

/** All members of a picture as text, so that none is forgotten; images by the name and the hash of their files. */
export const pictureKey = (picture: object): string =>
  JSON.stringify(picture, (_, value: unknown) => (isImage(value) ? `${value.key} ${value.sha256}` : value));
