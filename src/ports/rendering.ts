// The register of screenshots.

/** Image ids of a layer: its own and, for a difference, that of the subtracted image. */
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

export interface ScreenshotRegister {
  /** Assigns a new id on every call, also for a recipe that is registered already. */
  add(screenshot: Omit<Screenshot, 'id'>): Promise<Screenshot>;
  find(id: number): Promise<Screenshot | null>;
}
