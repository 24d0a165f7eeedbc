// Files that the browser saves: their names, and what they say of how they were made.
import { SERVICE_NAME, SERVICE_VERSION } from '../../platform/util/identity.ts';
import { permanentAddress } from '../store/address.ts';
import { isSynthetic, type Shown } from '../store/state.ts';

/** Saves a file, whose name its response states where none is given. The page stays also where it cannot be had. */
export const download = (href: string, name = ''): void =>
  Object.assign(document.createElement('a'), { href, download: name }).click();

export function save(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  download(href, name);
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
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
