// Tiles of one content at one level, side by side in a texture.
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import type { FrameDescription } from '../../picture/moving-frame.ts';
import { hasColours } from '../../picture/operations/operations.ts';
import type { Circle } from '../../sun/image.ts';
import type { MotionCanvas, Part, Texture, Undescribed } from '../motion/canvas.ts';
import type { Content } from './content.ts';
import { imageCentre, levelScale, type Point, type TileRect, tilesOf } from './geometry.ts';

const keyOf = ({ x, y }: Point) => `${x},${y}`;

/** The description of a content on the pixels of a mosaic. A difference is grey, and all of it has data. */
function placed({ image, operations, description }: Content, level: number, { x, y }: TileRect): FrameDescription {
  const imageScale = levelScale(level);
  const centre = imageCentre(image);
  const sun = { x: -centre.x / imageScale - x * TILE_SIZE, y: -centre.y / imageScale - y * TILE_SIZE };
  const ratio = description!.imageScale / imageScale;
  const circle = (of: Circle): Circle => ({
    x: (of.x - description!.sun.x) * ratio + sun.x,
    y: (of.y - description!.sun.y) * ratio + sun.y,
    radius: of.radius * ratio,
  });
  const of = description!.ring;
  const ring = of && { inner: circle(of.inner), outer: circle(of.outer), softness: of.softness * ratio };
  const plain = hasColours(operations) ? {} : { colours: null, isBlackTransparent: false };
  return { ...description!, imageScale, sun, ring, ...plain };
}

type State = 'loading' | 'loaded' | 'failed';

export class Mosaic {
  readonly content: Content;
  readonly level: number;
  readonly rect: TileRect;
  readonly #texture: Undescribed;
  #described: Texture | null = null;
  readonly #canvas: MotionCanvas;
  readonly #onChange: () => void;
  readonly #states = new Map<string, State>();
  #isFreed = false;
  #loads: Promise<void>[] = [];

  /** @param former Mosaics of the same content, of which the last is the best: their pixels are shown until the tiles are there. */
  constructor(
    canvas: MotionCanvas,
    { content, level, rect }: Pick<Mosaic, 'content' | 'level' | 'rect'>,
    former: readonly Mosaic[],
    onChange: () => void,
  ) {
    this.content = content;
    this.level = level;
    this.rect = rect;
    this.#canvas = canvas;
    this.#onChange = onChange;
    this.#texture = canvas.blank({ width: rect.columns * TILE_SIZE, height: rect.rows * TILE_SIZE });
    for (const one of former) this.#fillFrom(one);
  }

  /** Null while it is not known how the levels are shown. */
  get texture(): Texture | null {
    const { level, rect, content } = this;
    if (content.description) this.#described ??= Object.assign(this.#texture, { description: placed(content, level, rect) });
    return this.#described;
  }

  get pixels(): number {
    return this.#texture.size.width * this.#texture.size.height;
  }

  get isComplete(): boolean {
    return ![...this.#states.values()].includes('loading');
  }

  get failures(): number {
    return [...this.#states.values()].filter((state) => state === 'failed').length;
  }

  get hasLoaded(): boolean {
    return [...this.#states.values()].includes('loaded');
  }

  has({ x, y, columns, rows }: TileRect): boolean {
    const own = this.rect;
    return x >= own.x && y >= own.y && x + columns <= own.x + own.columns && y + rows <= own.y + own.rows;
  }

  /** Requests tiles that have not been requested. Resolves when all requested ones have loaded or failed. */
  async load(rect: TileRect): Promise<void> {
    const wanted = tilesOf(rect).filter((tile) => !this.#states.has(keyOf(tile)));
    if (wanted.length > 0) this.#loads = [...(this.isComplete ? [] : this.#loads), ...wanted.map((tile) => this.#load(tile))];
    await Promise.all(this.#loads);
  }

  retry(): void {
    for (const [key, state] of this.#states) if (state === 'failed') this.#states.delete(key);
  }

  free(): void {
    this.#isFreed = true;
    this.#canvas.free(this.#texture);
  }

  async #load({ x, y }: Point): Promise<void> {
    const [key, tile] = [keyOf({ x, y }), { x, y, imageScale: levelScale(this.level) }];
    this.#states.set(key, 'loading');
    try {
      const file = await this.content.fileOf(tile);
      const picture = await createImageBitmap(file, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
      const { rect } = this;
      if (!this.#isFreed)
        this.#canvas.put(this.#texture, picture, { left: (x - rect.x) * TILE_SIZE, top: (y - rect.y) * TILE_SIZE });
      picture.close();
      this.#states.set(key, 'loaded');
    } catch {
      this.#states.set(key, 'failed');
    }
    this.content.drawn(tile);
    if (!this.#isFreed) this.#onChange();
  }

  /** Copies what another mosaic shows of this one's place; loaded tiles of the same level stay loaded. */
  #fillFrom(other: Mosaic): void {
    const ratio = levelScale(other.level) / levelScale(this.level);
    const side = TILE_SIZE * ratio;
    const whole: Part = {
      left: other.rect.x * side - this.rect.x * TILE_SIZE,
      top: other.rect.y * side - this.rect.y * TILE_SIZE,
      width: other.rect.columns * side,
      height: other.rect.rows * side,
    };
    this.#canvas.copy(other.#texture, { left: 0, top: 0, ...other.#texture.size }, this.#texture, whole);
    if (other.level !== this.level) return;
    for (const key of tilesOf(this.rect).map(keyOf)) if (other.#states.get(key) === 'loaded') this.#states.set(key, 'loaded');
  }
}
