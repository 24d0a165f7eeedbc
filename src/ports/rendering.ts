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

export interface NewScreenshot extends Omit<Screenshot, 'id'> {
  /** Hash of the client's address, to which the screenshot is charged. */
  readonly client: string;
  readonly pixels: number;
}

/** Limit of the screenshots of a client, the new one included. */
export interface ScreenshotBudget {
  /** Hashes of the client's address since `sinceMs`. */
  readonly clients: readonly string[];
  readonly sinceMs: number;
  readonly pixels: number;
  /** Of their rows. */
  readonly bytes: number;
}

export interface ScreenshotRegister {
  /** Assigns a new id on every call, also for a recipe that is registered already. Null when it would exceed the budget. */
  add(screenshot: NewScreenshot, budget: ScreenshotBudget): Promise<Screenshot | null>;
  find(id: number): Promise<Screenshot | null>;
  /** Deletes some of the screenshots that were taken before then; returns their number. */
  expire(beforeMs: number): Promise<number>;
}
