// Registered screenshots.

/** Ids of the image of a layer and, for a difference, of the subtracted image. */
export type LayerImages = readonly [imageId: number] | readonly [imageId: number, referenceId: number];

/** A picture that can be rendered again, pixel for pixel. */
export interface Screenshot {
  readonly id: number;
  readonly createdAtMs: number;
  /** Canonical string of the recipe. */
  readonly recipe: string;
  /** From the bottom to the top. */
  readonly images: readonly LayerImages[];
}

export type NewScreenshot = Omit<Screenshot, 'id'>;
