import type { ArchivedImage } from '../../sun/image.ts';

export type RefusalReason =
  | 'malformed'
  | 'unsupported'
  | 'too-large'
  | 'header'
  | 'datasource'
  | 'date'
  | 'geometry'
  | 'size'
  | 'name'
  | 'folder'
  | 'withdrawn';

export type RefusedFile = { readonly outcome: 'refused'; readonly reason: RefusalReason; readonly sentence: string };

/** Result of adding an image to the archive, from an upload, a mirror or an object that another program has written. */
export type IngestResult =
  | {
      readonly outcome: 'added' | 'known';
      readonly image: ArchivedImage;
      readonly replacedId?: number;
      /** Sentence on a part that the file lacks although it can be served. */
      readonly warning?: string;
      readonly sentence?: undefined;
    }
  /** The archive has different content under this file name, or another image of the source at this time. */
  | { readonly outcome: 'conflict'; readonly sentence: string }
  | RefusedFile
  /** An upload, a removal or a move of the shard is under way; a retry succeeds later. */
  | { readonly outcome: 'busy'; readonly sentence: string };

export interface FileOutcome {
  readonly outcome: IngestResult['outcome'];
  readonly reason?: string | undefined;
  readonly sentence?: string | undefined;
}
