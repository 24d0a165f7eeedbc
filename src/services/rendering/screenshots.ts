// Screenshots: drawn when they are taken, kept as files for a while, and drawn again for those who ask later.

import { EVENT_REQUESTS } from '../../config/limits/events.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { screenshotFileName } from '../../domain/recipe/layer-names.ts';
import type { Recipe } from '../../domain/recipe/recipe.ts';
import { parseRecipeString, recipeString } from '../../domain/recipe/recipe-string.ts';
import type { SourceState } from '../../ports/event-lookup.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ObjectStore, StoredObject } from '../../ports/objects.ts';
import type { LayerImages, Screenshot, ScreenshotRegister } from '../../ports/rendering.ts';
import type { Clock } from '../../ports/timing.ts';
import { screenshotKey } from '../../storage/keys.ts';
import { failedSources, type MarkerSource } from '../events/marker-source.ts';
import { type DrawingCall, drawInTurn } from './draw-in-turn.ts';
import { type FramePlan, planFrame, planOfImages } from './frame-plan.ts';
import type { PictureRenderer } from './picture-renderer.ts';
import type { RenderSlots } from './render-slots.ts';

interface Ports {
  readonly index: ImageIndex;
  readonly objects: ObjectStore;
  readonly screenshotRegister: ScreenshotRegister;
  readonly pictures: PictureRenderer;
  readonly markers: MarkerSource;
  readonly slots: RenderSlots;
  readonly clock: Clock;
}

export interface TakenScreenshot {
  readonly id: number;
  readonly fileName: string;
  readonly png: Uint8Array;
  readonly stored: StoredObject;
  readonly plan: FramePlan;
  /** How the sources of its events answered; none for a picture without events. */
  readonly sources: readonly SourceState[];
}

/** `png`: the file where it had to be drawn again. `stored`: null where it then lacks some of its events, so that it is not kept. */
type FileOrDrawn =
  | { readonly stored: StoredObject; readonly png: Uint8Array | null }
  | { readonly stored: null; readonly png: Uint8Array };

export type ScreenshotFile = FileOrDrawn & {
  readonly key: string;
  readonly fileName: string;
  readonly plan: FramePlan;
  /** As those of a TakenScreenshot; none where the file lies in the archive. */
  readonly sources: readonly SourceState[];
};

interface Drawn {
  readonly png: Uint8Array;
  readonly sources: readonly SourceState[];
}

const PNG_TYPE = 'image/png';

function imagesOf({ layers }: FramePlan): LayerImages[] {
  return layers.map(({ image, reference }) => (reference ? [image.id, reference.id] : [image.id]));
}

export class ScreenshotService {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Draws the recipe and keeps it under an id of its own.
   * @throws Failure `no-image`, `no-earlier-image`, `damaged-image`, or `busy`; a picture that failed leaves no row
   */
  async take(recipe: Recipe, call: DrawingCall): Promise<TakenScreenshot> {
    const { index, screenshotRegister, objects, clock } = this.#ports;
    const plan = await call.stopwatch.measure('index', () => planFrame(index, recipe));
    const { png, sources } = await this.#draw(plan, call);
    const entry = { createdAtMs: clock(), recipe: recipeString(recipe), images: imagesOf(plan) };
    const screenshot = await screenshotRegister.add(entry);
    const fileName = screenshotFileName(recipe);
    const stored = await objects.put(screenshotKey(screenshot, fileName), png, PNG_TYPE);
    return { id: screenshot.id, fileName, png, stored, plan, sources };
  }

  /**
   * The file of a screenshot; drawn again, of the same images, when it has expired.
   * @throws Failure `unknown-screenshot`, or what `take` does
   */
  async file(id: number, call: DrawingCall): Promise<ScreenshotFile> {
    const { screenshotRegister, objects } = this.#ports;
    const screenshot = await call.stopwatch.measure('index', () => screenshotRegister.find(id));
    if (!screenshot) {
      const sentence = `Expected the id of a screenshot for id, got ${id}.`;
      throw new Failure('unknown-screenshot', sentence, { parameter: 'id' });
    }
    const recipe = parseRecipeString(screenshot.recipe);
    const fileName = screenshotFileName(recipe);
    const key = screenshotKey(screenshot, fileName);
    const [stored, plan] = await Promise.all([
      call.stopwatch.measure('read', () => objects.head(key)),
      call.stopwatch.measure('index', () => this.#planAgain(recipe, screenshot)),
    ]);
    const facts = { key, fileName, plan };
    if (stored) return { ...facts, stored, png: null, sources: [] };
    const { png, sources } = await this.#draw(plan, call);
    const isWhole = failedSources(sources).length === 0;
    return { ...facts, stored: isWhole ? await objects.put(key, png, PNG_TYPE) : null, png, sources };
  }

  /** The plan of the same images, even where a nearer one has been delivered since. */
  async #planAgain(recipe: Recipe, { images }: Screenshot): Promise<FramePlan> {
    const { index } = this.#ports;
    const byId = async (id: number | undefined): Promise<ArchivedImage | null> => (id === undefined ? null : index.byId(id));
    const found = await Promise.all(
      images.map(async ([imageId, referenceId]) => ({ image: await byId(imageId), reference: await byId(referenceId) })),
    );
    return planOfImages(recipe, found) ?? planFrame(index, recipe);
  }

  async #draw(plan: FramePlan, call: DrawingCall): Promise<Drawn> {
    const { pictures, markers, slots } = this.#ports;
    const waiting = { waitMs: EVENT_REQUESTS.pictureWaitMs, keepGoing: call.waitUntil };
    const { sources = [], ...marked } = await markers.markers(plan.recipe, waiting);
    return { png: await drawInTurn(slots, plan.recipe, call, () => pictures.png(plan, marked)), sources };
  }
}
