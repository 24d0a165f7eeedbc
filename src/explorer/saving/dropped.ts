// A file of the service that is dropped on the page: opens the view of its picture.
import { addressIn, viewOf } from '../../picture/address/address-in.ts';
import { offline } from '../api/request.ts';

/** Bytes at both ends of a file in which the address is looked for. */
const END_BYTES = 1 << 18;

async function viewOfImage(address: string): Promise<string | null> {
  const id = new URLSearchParams(address.slice(address.indexOf('?'))).get('id');
  const response = id && /^\d+$/.test(id) ? await fetch(`/tiles/image-${id}.json`).catch(offline) : null;
  if (!response?.ok) return null;
  const { helioprojective: shown } = (await response.json()) as { helioprojective: { source: number; date: string } };
  return `/?date=${shown.date}&imageLayers=[${shown.source},1,100]`;
}

/** @throws PageError offline, where the view is not in the file */
export async function openFile(file: Blob): Promise<void> {
  for (const part of [file.slice(0, END_BYTES), file.slice(-END_BYTES)]) {
    const address = addressIn(new Uint8Array(await part.arrayBuffer()));
    const view = address && (viewOf(address) ?? (await viewOfImage(address)));
    if (view) return location.assign(view);
  }
}
