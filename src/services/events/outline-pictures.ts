// Draws pictures of outlines. They are not stored, because anyone can write a path; the edge cache keeps those in use.
import { findEventType, UNKNOWN_TYPE_COLOUR } from '../../domain/events/event-types.ts';
import { type OutlineShape, pictureSize, UNITS_PER_PIXEL } from '../../domain/events/outline-path.ts';
import type { EventPoint } from '../../imaging/overlays/event-markers.ts';
import { outlinePng } from '../../imaging/overlays/outline-png.ts';
import type { RenderCall } from '../../ports/timing.ts';
import type { RenderSlots } from '../rendering/render-slots.ts';

export class OutlinePictureService {
  readonly #slots: RenderSlots;

  constructor({ slots }: { readonly slots: RenderSlots }) {
    this.#slots = slots;
  }

  /**
   * The picture of an outline as a PNG file. Equal shapes give equal bytes.
   * @throws Failure `busy` when no room for it becomes free in time
   */
  async png(shape: OutlineShape, call: RenderCall): Promise<Uint8Array> {
    const { width, height, insetPx, reduction } = pictureSize(shape);
    const toPx = (units: number) => (units / UNITS_PER_PIXEL + insetPx) / reduction;
    const picture = {
      width: width / reduction,
      height: height / reduction,
      colour: findEventType(shape.pin)?.colour ?? UNKNOWN_TYPE_COLOUR,
      linePx: (2 * insetPx) / reduction,
      rings: shape.rings.map((ring) => ring.map(([x, y]): EventPoint => [toPx(x), toPx(y)])),
    };
    return this.#slots.render(picture, call, (pace) =>
      pace.measure('encode', () => outlinePng(picture, (pixels) => pace.pause(pixels))),
    );
  }
}
