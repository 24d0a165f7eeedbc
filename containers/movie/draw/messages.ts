// What the program and its drawing threads say to each other.
import type { Recipe } from '../../../src/domain/recipe/recipe.ts';
import type { FoundImages } from '../../../src/services/rendering/frame-plan.ts';
import type { FrameMarkers } from '../../../src/services/rendering/frame-renderer.ts';

/** What a thread is started with. */
export interface DrawSetup {
  readonly serviceUrl: string;
  readonly token: string;
  /** Bytes of decoded windows, and as many of drawn layers, that the thread keeps. */
  readonly keptBytes: number;
}

/** A frame to be drawn. */
export interface DrawOrder {
  /** Number of the order, of the asker's making. */
  readonly id: number;
  readonly recipe: Recipe;
  /** From the bottom to the top. */
  readonly images: readonly FoundImages[];
  readonly markers: FrameMarkers;
}

/** `alive` comes every ALIVE_MS from a thread that is not stuck. `why` is for the log. */
export type DrawReport =
  | { readonly kind: 'alive' }
  | { readonly kind: 'drawn'; readonly id: number; readonly pixels: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'damaged'; readonly id: number; readonly why: string }
  | { readonly kind: 'unavailable'; readonly id: number; readonly why: string };

export const ALIVE_MS = 2_000;
