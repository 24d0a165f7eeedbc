// What the service has written into a page.
import type { Note, View } from '../../picture/address/view.ts';
import { parsedJson } from '../../platform/util/bytes.ts';
import type { ImageRecord } from '../api/image-record.ts';

/** Undefined in a page that no service has filled. */
export const pageData = <T>() => parsedJson(document.getElementById('page-data')?.textContent ?? '') as T | undefined;

/** The first view of the explorer. */
export interface FirstView {
  readonly view: View;
  readonly isNewest: boolean;
  /** Image of each layer, of which there is at least one; none for an empty archive. */
  readonly records: readonly (ImageRecord | null)[];
  readonly names: readonly string[];
  /** Age in hours from which the newest image is late, by layer. */
  readonly lateHours: readonly (number | null)[];
  readonly notes: readonly Note[];
  readonly isSynthetic: boolean;
  /** Whether the service could not look up the view: nothing else is known. */
  readonly isAway?: boolean;
}
