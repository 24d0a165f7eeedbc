// Files that the browser saves: their names, and what they say of how they were made.
import { SERVICE_NAME, SERVICE_VERSION } from '../../platform/util/identity.ts';
import { permanentAddress } from '../store/address.ts';
import { isSynthetic, type Shown } from '../store/state.ts';

export function save(blob: Blob, name: string): void {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** `2024-05-10T12_00_09_AIA_171.png` */
export function fileName(times: readonly number[], names: readonly string[], extension: string): string {
  const parts = [...times.map((ms) => new Date(ms).toISOString().slice(0, 19).replaceAll(':', '_')), ...names];
  return `${[...parts, ...(isSynthetic.value ? ['synthetic'] : [])].join('_').replaceAll(' ', '_')}${extension}`;
}

/** What a file says of how it was made; see src/sun/provenance.ts. */
export function provenanceOf({ images }: Shown, credits: readonly string[]): string {
  const ids = images.flatMap((image) => image?.id ?? []);
  const lines = [
    `Address: ${permanentAddress().slice(location.origin.length)}`,
    `Images: ${ids.join(', ')}`,
    `Software: ${SERVICE_NAME} ${SERVICE_VERSION}`,
    `Credit: ${credits.join('; ')}`,
  ];
  return lines.join('\n');
}

/** Bytes of a PNG file to the end of its first chunk, IHDR. */
const HEADER_BYTES = 33;

/** The check of a chunk (ISO/IEC 15948, annex D). */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

export function withComment(png: Blob, text: string): Blob {
  const data = new TextEncoder().encode(`iTXtComment\0\0\0\0\0${text}`);
  const numbers = [data.length - 4, crc32(data)].map((value) => {
    const view = new DataView(new ArrayBuffer(4));
    view.setInt32(0, value);
    return view;
  });
  return new Blob([png.slice(0, HEADER_BYTES), numbers[0]!, data, numbers[1]!, png.slice(HEADER_BYTES)], { type: png.type });
}
