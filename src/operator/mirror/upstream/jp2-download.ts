// Downloads of JP2 files from an upstream, which may send something else under their addresses.
import { UPLOAD } from '../../../platform/limits/images.ts';
import { sameBytes } from '../../../platform/util/bytes.ts';
import { folderUrl } from '../../../platform/util/url.ts';
import { MirrorError } from '../ports.ts';
import type { PoliteClient } from './polite-client.ts';

export class ArchiveUpstream {
  protected readonly root: URL;
  protected readonly client: PoliteClient;

  constructor(address: string, client: PoliteClient) {
    this.root = folderUrl(address);
    this.client = client;
  }

  get address(): string {
    return this.root.href;
  }
}

/** The signature box (ISO/IEC 15444-1, I.5.1). */
const SIGNATURE = Uint8Array.from([0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a]);

/** Start of the codestream of a file that has no boxes (ISO/IEC 15444-1, A.4.1); ingest says why it takes none. */
const SOC = Uint8Array.from([0xff, 0x4f, 0xff, 0x51]);

const beginsWith = (bytes: Uint8Array, start: Uint8Array) => sameBytes(bytes.subarray(0, start.length), start);

/** `check` inspects the headers. @throws MirrorError, also for a page of a proxy or a login in place of the file */
export async function downloadJp2(client: PoliteClient, url: URL, check?: (headers: Headers) => void): Promise<Uint8Array> {
  const { bytes } = await client.get(url, {
    accept: 'image/jp2, */*;q=0.5',
    maxBytes: UPLOAD.bodyBytes,
    check: (found, headers) => {
      expectJp2(found, headers);
      check?.(headers);
    },
  });
  return bytes;
}

function expectJp2(bytes: Uint8Array, headers: Headers): void {
  if (beginsWith(bytes, SIGNATURE) || beginsWith(bytes, SOC)) return;
  const type = headers.get('Content-Type')?.slice(0, 60) ?? 'no type';
  throw new MirrorError('failing', `The ${bytes.length} bytes are no JPEG 2000 file (${type}).`);
}
