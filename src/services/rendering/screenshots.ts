// Screenshots: registered when they are taken, and rendered and stored when they are downloaded.
import { EVENT_REQUESTS } from '../../config/limits/events.ts';
import { SCREENSHOTS } from '../../config/limits/rendering.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { screenshotFileName } from '../../domain/recipe/layer-names.ts';
import type { Recipe } from '../../domain/recipe/recipe.ts';
import { parseRecipeString, recipeString } from '../../domain/recipe/recipe-string.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ObjectStore, StoredObject } from '../../ports/objects.ts';
import type { LayerImages, Screenshot, ScreenshotRegister } from '../../ports/rendering.ts';
import type { Clock } from '../../ports/timing.ts';
import { screenshotKey } from '../../storage/keys.ts';
import { sha256Hex } from '../../util/digest.ts';
import { DAY_MS } from '../../util/durations.ts';
import { clientHashes } from '../client-hashes.ts';
import { failedSources, type MarkerSource } from '../events/event-markers.ts';
import type { SourceState } from '../events/event-service.ts';
import { checkNotWithdrawn } from '../images/find-image.ts';
import { type FramePlan, planFrame, planOfImages } from './frame-plan.ts';
import type { PictureRenderer } from './picture-renderer.ts';
import type { RenderCall, RenderSlots } from './render-slots.ts';

interface Ports {
  readonly index: ImageIndex;
  readonly objects: ObjectStore;
  readonly screenshotRegister: ScreenshotRegister;
  readonly pictures: PictureRenderer;
  readonly markers: MarkerSource;
  readonly slots: RenderSlots;
  readonly clock: Clock;
  /** Key of the hashes under which clients are stored, known to the service alone. */
  readonly clientSecret: string;
}

export interface TakenScreenshot {
  readonly id: number;
  readonly plan: FramePlan;
}

export interface ShownScreenshot {
  readonly fileName: string;
  readonly png: Uint8Array;
  readonly plan: FramePlan;
  /** States of the event sources; empty for a picture without events. */
  readonly sources: readonly SourceState[];
}

/** `png`: the file if it was rendered now. `stored`: null if it then lacks events of a failed source, and is not stored. */
type StoredOrRendered =
  | { readonly stored: StoredObject; readonly png: Uint8Array | null }
  | { readonly stored: null; readonly png: Uint8Array };

export type ScreenshotFile = StoredOrRendered & {
  readonly key: string;
  readonly fileName: string;
  readonly plan: FramePlan;
  /** States of the event sources; empty for a file from the archive. */
  readonly sources: readonly SourceState[];
};

interface Rendered {
  readonly png: Uint8Array;
  readonly sources: readonly SourceState[];
}

const PNG_TYPE = 'image/png';

function imagesOf({ layers }: FramePlan): LayerImages[] {
  return layers.map(({ image, reference }) => (reference ? [image.id, reference.id] : [image.id]));
}

function unknownScreenshot(id: number): Failure {
  const days = Math.round(SCREENSHOTS.lifeMs / DAY_MS);
  const sentence = `No screenshot has the id ${id}. Screenshots expire ${days} days after they were taken.`;
  return new Failure('unknown-screenshot', sentence, { parameter: 'id' });
}

/** Deletes expired screenshots; returns their number. */
export function sweepScreenshots({ screenshotRegister, clock }: Pick<Ports, 'screenshotRegister' | 'clock'>): Promise<number> {
  return screenshotRegister.expire(clock() - SCREENSHOTS.lifeMs);
}

export class ScreenshotService {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Registers the recipe and its images under a new id. The picture is rendered when it is downloaded, because many never are.
   * @throws Failure `no-image`, `no-earlier-image`, or `rate-limited` when the client's budget is used up
   */
  async take(recipe: Recipe, { client, stopwatch }: RenderCall): Promise<TakenScreenshot> {
    const { index, screenshotRegister, clock, clientSecret } = this.#ports;
    const plan = await stopwatch.measure('index', () => planFrame(index, recipe));
    const nowMs = clock();
    const sinceMs = nowMs - SCREENSHOTS.periodMs;
    const clients = await clientHashes(client, clientSecret, [nowMs, sinceMs]);
    const entry = {
      createdAtMs: nowMs,
      recipe: recipeString(recipe),
      images: imagesOf(plan),
      client: clients[0]!,
      pixels: recipe.width * recipe.height,
    };
    const { clientPixels: pixels, clientBytes: bytes } = SCREENSHOTS;
    const screenshot = await screenshotRegister.add(entry, { clients, sinceMs, pixels, bytes });
    if (screenshot) return { id: screenshot.id, plan };
    const sentence =
      `An address can take screenshots of ${Math.floor(pixels / 1e6)} megapixels in an hour, and fewer with long selections of events. ` +
      'Try again later, or request smaller ones.';
    throw new Failure('rate-limited', sentence, { retryAfterSeconds: SCREENSHOTS.retryAfterSeconds });
  }

  /**
   * Renders the recipe, and stores nothing.
   * @throws Failure `no-image`, `no-earlier-image`, `missing-file`, `damaged-image`, `rate-limited` or `busy`
   */
  async show(recipe: Recipe, call: RenderCall): Promise<ShownScreenshot> {
    const plan = await call.stopwatch.measure('index', () => planFrame(this.#ports.index, recipe));
    return { ...(await this.#render(plan, call)), fileName: screenshotFileName(recipe), plan };
  }

  /**
   * The file of a screenshot. At the first download, and when it has expired, it is rendered from the images of the time when it was taken.
   * @throws Failure `unknown-screenshot`, `withdrawn` when one of the images is no longer in the archive, or a failure of `show`
   */
  async file(id: number, call: RenderCall): Promise<ScreenshotFile> {
    const { screenshotRegister, objects } = this.#ports;
    const screenshot = await call.stopwatch.measure('index', () => screenshotRegister.find(id));
    if (!screenshot) throw unknownScreenshot(id);
    const recipe = parseRecipeString(screenshot.recipe);
    const fileName = screenshotFileName(recipe);
    const plan = await call.stopwatch.measure('index', () => this.#planOf(recipe, screenshot));
    const key = await this.#keyOf(screenshot, plan);
    const stored = await call.stopwatch.measure('read', () => objects.head(key));
    const facts = { key, fileName, plan };
    if (stored) return { ...facts, stored, png: null, sources: [] };
    const { png, sources } = await this.#render(plan, call);
    const isWhole = failedSources(sources).length === 0;
    return { ...facts, stored: isWhole ? await objects.put(key, png, PNG_TYPE) : null, png, sources };
  }

  /** The time of creation is part of the content, because the events of a picture change. */
  async #keyOf({ recipe, createdAtMs }: Screenshot, { layers }: FramePlan): Promise<string> {
    const images = layers.map(({ image, reference }) => [image.sha256, reference?.sha256 ?? null]);
    return screenshotKey(this.#ports.pictures.version, {
      sha256: await sha256Hex(JSON.stringify([recipe, createdAtMs, images])),
    });
  }

  /**
   * The plan with the original images, even if a nearer one has been added since; a new plan if the index has lost one of them.
   * @throws Failure `withdrawn`
   */
  async #planOf(recipe: Recipe, { id, images }: Screenshot): Promise<FramePlan> {
    const { index } = this.#ports;
    const byId = async (id: number | undefined): Promise<ArchivedImage | null> => (id === undefined ? null : index.byId(id));
    const found = await Promise.all(
      images.map(async ([imageId, referenceId]) => ({ image: await byId(imageId), reference: await byId(referenceId) })),
    );
    const plan = planOfImages(recipe, found);
    if (plan) return plan;
    await checkNotWithdrawn(index, `Screenshot ${id}`, images.flat());
    return planFrame(index, recipe);
  }

  async #render(plan: FramePlan, call: RenderCall): Promise<Rendered> {
    const { pictures, markers, slots } = this.#ports;
    const options = { timeoutMs: EVENT_REQUESTS.pictureWaitMs, waitUntil: call.waitUntil };
    const { sources = [], ...frameMarkers } = await markers.markers(plan.recipe, options);
    return { png: await slots.render(plan.recipe, call, () => pictures.png(plan, frameMarkers)), sources };
  }
}
