// Pictures of single images.
import type { Operations } from './operations/operations.ts';

/** A picture of one image: `V` is what it shows of it, as a tile or a size, and the format. */
export type ImagePicture<V> = Operations & V & { readonly id: number };
