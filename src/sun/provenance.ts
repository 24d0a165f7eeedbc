// What a finished file says of itself: the address that gives it again, the images in it, the version, and whom to credit.
import { sha256Hex } from '../platform/util/bytes.ts';
import { SERVICE_NAME, SERVICE_VERSION } from '../platform/util/identity.ts';
import { findSource } from './catalogue/sources.ts';

export const PROVENANCE_BYTES = 600;
const NAMED_IMAGES = 2;

export interface UsedImage {
  readonly id: number;
  readonly sourceId: number;
  /** Absent for an image that is known by its grid alone. */
  readonly sha256?: string | undefined;
}

/** Characters that an address may have as they are, so that it is short and readable: `,:[]/`. */
const PLAIN = /%(?:2C|3A|5B|5D|2F)/g;

const printed = (value: unknown): string =>
  encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))
    .replaceAll("'", '%27')
    .replace(PLAIN, decodeURIComponent)
    .replaceAll('%20', '+');

/** `/v2/downloadImage/?id=26&width=512`: a request of an operation without its host. Undefined values are left out. */
export function requestAddress(operation: string, values: Readonly<Record<string, unknown>>): string {
  const query = Object.entries(values).filter(([, value]) => value !== undefined);
  return `/v2/${operation}/?${query.map(([name, value]) => `${name}=${printed(value)}`).join('&')}`;
}

async function imagesText(images: readonly UsedImage[]): Promise<string> {
  const distinct = [...new Map(images.map((image) => [image.id, image])).values()];
  if (distinct.length <= NAMED_IMAGES)
    return distinct.map(({ id, sha256 }) => `${id}${sha256 ? ` sha256:${sha256}` : ''}`).join(', ');
  const list = await sha256Hex(distinct.map(({ id, sha256 }) => sha256 ?? id).join('\n'));
  return `${distinct.length} with ${distinct[0]!.id}, sha256 of their list:${list}`;
}

/**
 * The lines of a file: as many of address, images, software, credit and citation, in this order, as fit into `PROVENANCE_BYTES`.
 * @param images in the order of the picture; several of one id count once
 */
export async function provenanceText(address: string, images: readonly UsedImage[]): Promise<string> {
  const credits = [...new Set(images.map(({ sourceId }) => sourceId))].flatMap((id) => findSource(id)?.credit ?? []);
  const joined = (texts: readonly (string | null)[]) => [...new Set(texts.filter((text) => text !== null))].join('; ');
  const lines = [
    ['Address', address],
    ['Images', await imagesText(images)],
    ['Software', `${SERVICE_NAME} ${SERVICE_VERSION}`],
    ['Credit', joined(credits.map(({ line }) => line))],
    ['Citation', joined(credits.map(({ citation }) => citation))],
  ];
  let text = '';
  for (const [name, value] of lines) {
    const longer = `${text}${text && '\n'}${name}: ${value}`;
    if (value !== '' && new TextEncoder().encode(longer).length <= PROVENANCE_BYTES) text = longer;
  }
  return text;
}
