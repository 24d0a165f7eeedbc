// Screenshots: registered when they are taken, and rendered and stored when they are downloaded.
import { encoderBytes, type FileFormat } from '../archive/drawing/formats/formats.ts';
import { type FramePlan, type FrameRenderer, planFrame, planOfImages } from '../archive/drawing/frame-renderer.ts';
import { windowsOf } from '../archive/drawing/layer-renderer.ts';
import { pictureBytes, pictureCost } from '../archive/drawing/picture-cost.ts';
import { checkNotWithdrawn } from '../archive/find-image.ts';
import type { ImageIndex } from '../archive/image-index/d1-image-index.ts';
import { screenshotKey } from '../archive/keys.ts';
import type { SourceState } from '../events/event-days.ts';
import { failedSources, type MarkerSource } from '../events/event-markers.ts';
import { screenshotFileName } from '../picture/layers.ts';
import { type Picture, pictureHash } from '../picture/picture.ts';
import { RENDER_VERSION } from '../picture/raster/render-version.ts';
import { parseRecipeString, recipeString } from '../picture/recipe.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { MEDIA_TYPES } from '../platform/http/response.ts';
import { EVICTED_UNUSED_MS, ROW_BYTES } from '../platform/limits/admission.ts';
import { EVENT_REQUESTS } from '../platform/limits/events.ts';
import { SCREENSHOTS } from '../platform/limits/rendering.ts';
import type { Clock } from '../platform/ports/timing.ts';
import type { ObjectStore, StoredObject } from '../platform/storage/r2-object-store.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { Failure } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import type { ArchivedImage } from '../sun/image.ts';
import type { D1Screenshots, LayerImages, Screenshot } from './d1-screenshots.ts';

interface Ports {
  readonly index: ImageIndex;
  readonly objects: ObjectStore;
  readonly screenshotRegister: D1Screenshots;
  readonly pictures: Pick<FrameRenderer, 'file'>;
  readonly markers: MarkerSource;
  readonly clock: Clock;
}

/** `bytes`: the file if it was rendered now. `stored`: null if it is not stored: it is no PNG, lacks events of a failed source, or a budget is used up. */
type ScreenshotFile = (
  | { readonly stored: StoredObject; readonly bytes: Uint8Array | null }
  | { readonly stored: null; readonly bytes: Uint8Array }
) & {
  readonly key: string;
  readonly fileName: string;
  readonly plan: FramePlan;
  /** States of the event sources; empty for a file from the archive. */
  readonly sources: readonly SourceState[];
};

const imagesOf = ({ layers }: FramePlan): LayerImages[] =>
  layers.map(({ image, reference }) => (reference ? [image.id, reference.id] : [image.id]));

function unknownScreenshot(id: number): Failure {
  const days = Math.round(SCREENSHOTS.lifeMs / DAY_MS);
  const sentence = `No screenshot has the id ${id}. Screenshots expire ${days} days after they were taken.`;
  return new Failure('unknown-id', sentence, { parameter: 'id' });
}

export class ScreenshotService extends Service<Ports> {
  /** Registers the recipe and its images under a new id; most are never drawn. @throws Failure of the plan, `rate-limited` or `storage-full` */
  async take(recipe: Picture, { admission, stopwatch }: RenderCall) {
    const { index, screenshotRegister, clock } = this.ports;
    const plan = await stopwatch.measure('index', () => planFrame(index, recipe));
    const createdAtMs = clock();
    const entry = { createdAtMs, recipe: recipeString(recipe), images: imagesOf(plan) };
    const amount = ROW_BYTES + new TextEncoder().encode(entry.recipe + JSON.stringify(entry.images)).length;
    const makeRoom = async () => (await screenshotRegister.expire(createdAtMs - EVICTED_UNUSED_MS)).bytes;
    await admission.store('screenshots', amount, makeRoom);
    return { id: (await screenshotRegister.add(entry)).id, plan };
  }

  /** Renders the recipe, and stores nothing. @throws Failure as `planFrame` and `encoderBytes`, of the files, `rate-limited`, `busy` */
  async show(recipe: Picture, format: FileFormat, call: RenderCall) {
    await call.admission.admit('pictures', pictureCost(recipe));
    const plan = await call.stopwatch.measure('index', () => planFrame(this.ports.index, recipe));
    return { ...(await this.#render(plan, format, call)), fileName: screenshotFileName(recipe, format.type), plan };
  }

  /** The file of a screenshot, rendered from its images where it is not stored. @throws Failure `unknown-screenshot`, `withdrawn`, or as `show` */
  async file(id: number, format: FileFormat, call: RenderCall): Promise<ScreenshotFile> {
    const { screenshotRegister, objects } = this.ports;
    const { stopwatch } = call;
    // First the row is found: the recipe, and the images of the time when the screenshot was taken.
    const screenshot = await stopwatch.measure('index', () => screenshotRegister.find(id));
    if (!screenshot) throw unknownScreenshot(id);
    const recipe = parseRecipeString(screenshot.recipe);
    const plan = await stopwatch.measure('index', () => this.#planOf(recipe, screenshot));
    // A file that exists is served as it is.
    const key = await this.#keyOf(screenshot, plan);
    const file = { key, fileName: screenshotFileName(recipe, format.type), plan };
    const mayStore = format.type === 'png';
    const stored = mayStore ? await stopwatch.measure('read', () => objects.head(key)) : null;
    if (stored) return { ...file, stored, bytes: null, sources: [] };
    // Else the picture is rendered, and stored unless a source of events failed or a budget is used up.
    await call.admission.admit('pictures', pictureCost(recipe));
    const { bytes, sources } = await this.#render(plan, format, call);
    const isWhole = failedSources(sources).length === 0;
    const pixels = recipe.width * recipe.height;
    const isStored = mayStore && isWhole && (await call.admission.mayStore('screenshotPixels', pixels));
    return { ...file, stored: isStored ? await objects.put(key, bytes, MEDIA_TYPES.png) : null, bytes, sources };
  }

  /** The time of creation is part of the content, because the events of a picture change; the recipe as it is drawn now. */
  async #keyOf({ createdAtMs }: Screenshot, { recipe, layers }: FramePlan): Promise<string> {
    const images = layers.map(({ image, reference }) => [image.sha256, reference?.sha256 ?? null]);
    return screenshotKey(RENDER_VERSION, { sha256: await pictureHash([recipeString(recipe), createdAtMs, images]) });
  }

  /** The plan with the original images; a new one if the index has lost one of them. @throws Failure `withdrawn` */
  async #planOf(recipe: Picture, { id, images }: Screenshot): Promise<FramePlan> {
    const { index } = this.ports;
    const byId = async (id: number | undefined): Promise<ArchivedImage | null> => (id === undefined ? null : index.byId(id));
    const found = await Promise.all(
      images.map(async ([imageId, referenceId]) => ({ image: await byId(imageId), reference: await byId(referenceId) })),
    );
    const plan = planOfImages(recipe, found);
    if (plan) return plan;
    await checkNotWithdrawn(index, `Screenshot ${id}`, images.flat());
    return planFrame(index, recipe);
  }

  async #render(plan: FramePlan, format: FileFormat, call: RenderCall) {
    // First the events and shared movies of its region and time are found,
    const options = { timeoutMs: EVENT_REQUESTS.pictureWaitMs, waitUntil: call.waitUntil };
    const { sources = [], ...frameMarkers } = await this.ports.markers.markers(plan.recipe, options);
    // then the client waits for memory, and the picture is drawn and encoded strip by strip (FrameRenderer): layers, overlays.
    const images = plan.layers.map(({ image }) => image);
    const size = { ...plan.recipe, windows: windowsOf(plan.recipe, images), encoderBytes: encoderBytes(format, plan.recipe) };
    const bytes = await call.admission.hold(pictureBytes(size), (pace) =>
      this.ports.pictures.file(plan, frameMarkers, format, pace),
    );
    return { bytes, sources };
  }
}
