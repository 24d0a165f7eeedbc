// Draws layers from grey frames by WebGL 2, in one pass: colours, masks and opacity are those of the tiles, in the plane at the same places.
import { GREY_PALETTE } from '../../picture/colours.ts';
import { type FrameDescription, type FrameTable, TABLE_SIDE } from '../../picture/moving-frame.ts';
import { coloursOf, operationsOf, shaderOf } from '../../picture/operations/operations.ts';
import { pictureKey } from '../../picture/picture.ts';
import type { Projection } from '../../picture/projection.ts';
import { frameOf, viewpointOf } from '../../picture/projections/mapping.ts';
import { concatenated, fromBase64 } from '../../platform/util/bytes.ts';
import { earthAt, imageObserver, type Observer } from '../../sun/coordinates/observer.ts';
import { boxOf, sidesOfEdges } from '../../sun/coordinates/picture-plane.ts';
import type { Stonyhurst } from '../../sun/coordinates/sphere.ts';
import type { ImageRecord } from '../api/images.ts';
import type { ShownLayer } from '../picture/frame-layer.ts';
import { type Box, devicePixels, imageBox, onScreen, onSun, type Size, unionOf } from '../picture/geometry.ts';
import type { Frame, ScreenView } from '../picture/picture.ts';
import { projections, recordOf } from '../picture/projecting.ts';
import { ground, noteObservers, screen } from '../store/state.ts';
import { fragmentOf, VERTEX } from './shaders.ts';

/** A frame or tiles in the memory of the graphics processor. */
export interface Texture {
  readonly grey: WebGLTexture;
  readonly description: FrameDescription;
  readonly size: Size;
  /** Levels that count as black: one of an exact texture; JPEG moves black by one. */
  readonly blackLevels: number;
  /** The number of its content, which no other content of a texture has. */
  content: number;
}

export type Undescribed = Omit<Texture, 'description'>;

/** A part of a texture in its pixels, or of the screen in those of the page, from the upper left corner. */
export type Part = Pick<Box, 'left' | 'top'> & Size;

interface ShownImage {
  readonly image: ImageRecord;
  readonly texture: Texture;
  /** Filter of its levels; unset without one, and where the texture is filtered. */
  readonly table?: FrameTable | undefined;
}

/** `layer`: what it is drawn of, with all its operations. */
type OfFrame = { readonly layer: Frame[number] };

export type CanvasLayer = ShownLayer<ShownImage> & OfFrame;
/** A layer of which the screen may show nothing. */
type KnownLayer = ShownLayer<ShownImage | null> & OfFrame;

interface Program {
  readonly program: WebGLProgram;
  readonly uniforms: readonly { readonly name: string; readonly type: number; readonly location: WebGLUniformLocation | null }[];
}

/** The colours of a layer, and the key of what they were made of. */
type Colours = { readonly key: string; readonly levels: Uint8Array };

interface Drawing {
  readonly key: string;
  readonly program: Program;
  /** Where the canvas is, and its own pixels. */
  readonly part: Part;
  readonly pixels: Size;
  /** Values of the uniforms. */
  readonly numbers: Readonly<Record<string, readonly number[]>>;
  readonly ground: typeof ground.value;
  /** Textures by unit from the second on: the frames of all layers, then those that they subtract. */
  readonly textures: readonly WebGLTexture[];
  /** Tables of the image of each layer, and of the one with which it is compared. */
  readonly tables: readonly (FrameTable | undefined)[];
  readonly colours: readonly Colours[];
}

/** The four numbers that a layer has in each uniform of layers. */
const LAYER_NUMBERS: Readonly<Record<string, (layer: CanvasLayer) => readonly number[]>> = {
  places: ({ image, opacity }) => [...placeOf(image), opacity / 100],
  bounds: ({ image }) => boundsOf(image),
  olderPlaces: ({ reference }) => (reference ? [...placeOf(reference), 1] : NONE),
  olderBounds: ({ reference }) => (reference ? boundsOf(reference) : NONE),
  inner: ({ image }) => edgeOf(image, 'inner'),
  outer: ({ image }) => edgeOf(image, 'outer'),
  texels: ({ image, reference }) =>
    [image, reference ?? image].flatMap(({ texture: { size } }) => [1 / size.width, 1 / size.height]),
  across: ({ image }) => sideOf(image, 0),
  down: ({ image }) => sideOf(image, 1),
  annuli: ({ image, reference }) => [image, reference ?? image].flatMap(({ table }) => table?.annuli ?? [0, 0]),
};
const LEVELS = 256;
/** Levels that count as black in frames of JPEG. */
const BLACK_LEVELS_OF_FRAMES = 2;
/** Pixels of the screen per pixel of every frame, in width, from which half the resolution shows all there is. */
const COARSE = 2;
/** Sides of the part of the screen that a canvas covers are multiples of it, so that it keeps its size while images differ by some pixels. */
const PART_STEP = 16;

let contents = 0;

function compiled(gl: WebGL2RenderingContext, kind: number, source: string): WebGLShader {
  const shader = gl.createShader(kind)!;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

function linked(gl: WebGL2RenderingContext, ...[forms, kind, hasGround]: Parameters<typeof fragmentOf>): Program | null {
  const program = gl.createProgram();
  gl.attachShader(program, compiled(gl, gl.VERTEX_SHADER, VERTEX));
  gl.attachShader(program, compiled(gl, gl.FRAGMENT_SHADER, fragmentOf(forms, kind, hasGround)));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) as number;
  const uniforms = Array.from({ length: count }, (_, i) => {
    const { name = '', type = 0 } = gl.getActiveUniform(program, i) ?? {};
    return { name: name.replace('[0]', ''), type, location: gl.getUniformLocation(program, name) };
  });
  gl.useProgram(program);
  gl.uniform1i(gl.getUniformLocation(program, 'colours'), 0);
  forms.forEach((_, i) => {
    gl.uniform1i(gl.getUniformLocation(program, `grey${i}`), 1 + i);
    gl.uniform1i(gl.getUniformLocation(program, `older${i}`), 1 + forms.length + i);
  });
  gl.uniform1i(gl.getUniformLocation(program, 'tables'), 1 + 2 * forms.length);
  gl.uniform1i(gl.getUniformLocation(program, 'ground'), 2 + 2 * forms.length);
  return { program, uniforms };
}

/** The part of a frame that is its image, which ends before the last block; arcseconds. Its sides are empty where there is none. */
function imagePart({ image, texture: { description, size } }: ShownImage): Box {
  const { imageScale, sun, edges } = description;
  const { left, top, right, bottom } = edges ? boxOf(edges) : imageBox(image);
  return {
    left: Math.max(-sun.x * imageScale, left),
    top: Math.max(-sun.y * imageScale, top),
    right: Math.min((size.width - sun.x) * imageScale, right),
    bottom: Math.min((size.height - sun.y) * imageScale, bottom),
  };
}

const isEmpty = ({ left, top, right, bottom }: Box) => left >= right || top >= bottom;

function boundsOf(shown: ShownImage): number[] {
  const { left, top, right, bottom } = imagePart(shown);
  const { imageScale, sun } = shown.texture.description;
  return [left / imageScale + sun.x, top / imageScale + sun.y, right / imageScale + sun.x, bottom / imageScale + sun.y];
}

/** Pixels per arcsecond and the centre of the Sun in a frame. */
const placeOf = ({ texture: { description } }: ShownImage) => [1 / description.imageScale, description.sun.x, description.sun.y];

/** Numbers of a side of an image that is turned. */
const sideOf = ({ texture: { description } }: ShownImage, i: 0 | 1) =>
  description.edges ? [...sidesOfEdges(description.edges)[i], 0] : NONE;

function edgeOf({ texture: { description } }: ShownImage, name: 'inner' | 'outer'): readonly number[] {
  const { ring } = description;
  return ring ? [ring[name].x, ring[name].y, ring[name].radius, Math.max(ring.softness, 1)] : NONE;
}

/** What a layer without its uniform has there. */
const NONE = [0, 0, 0, 1];

/** Levels of a layer that have no data: none where it is compared with another image. */
const clearLevels = ({ image, reference }: CanvasLayer) =>
  image.texture.description.isBlackTransparent && !reference ? image.texture.blackLevels : 0;

/** Red, green, blue and opacity of the levels of a layer, the colours times the opacity. */
function levelsOf(layer: CanvasLayer): Uint8Array {
  const { colours } = layer.image.texture.description;
  const palette = coloursOf(layer, colours === null ? null : fromBase64(colours)) ?? GREY_PALETTE;
  return Uint8Array.from({ length: 4 * LEVELS }, (_, i) => {
    const [level, channel] = [i >> 2, i & 3];
    if (level < clearLevels(layer)) return 0;
    return channel < 3 ? palette[3 * level + channel]! : 255;
  });
}

/** Where an image was taken from, by what its frames say. */
export function observerOf(image: ImageRecord, { observer }: FrameDescription): Observer {
  const { l0Degrees } = imageObserver(Date.parse(image.takenAt), image.dsun, new Map());
  return { distanceRadii: observer.distance, b0Degrees: observer.latitude, longitudeDegrees: observer.longitude, l0Degrees };
}

/** The columns of the turn from the frame of the screen into that of a place. `l0Degrees`: of the time. */
function turnTo(to: Stonyhurst, projection: Projection, l0Degrees: number): number[] {
  const above = recordOf(projection.kind).above?.(projection, l0Degrees) ?? { latitude: 0, longitude: 0 };
  const seen = frameOf(to);
  return frameOf(above).flatMap((column) => seen.map((row) => row.x * column.x + row.y * column.y + row.z * column.z));
}

const wholeOf = ({ size }: ScreenView): Part => ({ left: 0, top: 0, ...size });

function partOf({ camera, size }: ScreenView, { left, top, right, bottom }: Box): Part {
  const [from, to] = [onScreen(camera, size, { x: left, y: top }), onScreen(camera, size, { x: right, y: bottom })];
  const start = (pixel: number) => Math.max(Math.floor(pixel / PART_STEP) * PART_STEP, 0);
  const end = (pixel: number, most: number) => Math.min(Math.ceil(pixel / PART_STEP) * PART_STEP, most);
  const [x, y] = [start(from.x), start(from.y)];
  return { left: x, top: y, width: Math.max(end(to.x, size.width) - x, 1), height: Math.max(end(to.y, size.height) - y, 1) };
}

/** Draws on an element; null where its shaders do not work. */
function canvasOn(element: HTMLCanvasElement, gl: WebGL2RenderingContext) {
  const programs = new Map<string, Program | null>();
  let shown: Drawing | null = null;

  function bind(unit: number, texture: WebGLTexture, kind: number = gl.TEXTURE_2D): void {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(kind, texture);
  }

  function newTexture(kind: number = gl.TEXTURE_2D): WebGLTexture {
    const texture = gl.createTexture();
    bind(0, texture, kind);
    for (const axis of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(kind, axis, gl.CLAMP_TO_EDGE);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(kind, filter, gl.LINEAR);
    return texture;
  }

  function blank(size: Size): Undescribed {
    const grey = newTexture();
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.R8, size.width, size.height);
    return { grey, size, blackLevels: 1, content: ++contents };
  }

  function put(texture: Undescribed, picture: ImageBitmap, { left, top }: Pick<Part, 'left' | 'top'>): void {
    bind(0, texture.grey);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, left, top, gl.RED, gl.UNSIGNED_BYTE, picture);
    texture.content = ++contents;
  }

  function programFor(...form: Parameters<typeof fragmentOf>): Program | null {
    const key = pictureKey(form);
    let program = programs.get(key);
    if (program === undefined) {
      program = linked(gl, ...form);
      programs.set(key, program);
    }
    return program;
  }

  function rowOf(layer: CanvasLayer, i: number): Colours {
    const key = pictureKey([operationsOf(layer), layer.image.texture.description.colours, clearLevels(layer)]);
    const known = shown?.colours[i];
    return known?.key === key ? known : { key, levels: levelsOf(layer) };
  }

  function drawingOf(all: readonly KnownLayer[], view: ScreenView, moving: number | null): Drawing | null {
    const layers = all.filter(({ opacity }) => opacity > 0);
    const { scale } = view.camera;
    const { projection, distanceRadii } = view.projected;
    const drawn = layers.filter((layer): layer is CanvasLayer => layer.image !== null && !isEmpty(imagePart(layer.image)));
    const below = recordOf(projection.kind).finds === 'sun' ? ground.value : null;
    if (drawn.length === 0 && !below) return null;
    const images = drawn.map(({ image }) => image);
    const observers = images.map(({ image, texture }) => observerOf(image, texture.description));
    const l0Degrees = observers[0]?.l0Degrees ?? earthAt(screen.value!.view.atMs).l0Degrees;
    const numbers = layers.map((layer) => drawn.indexOf(layer as CanvasLayer));
    const others = projections.value;
    const sharing = others?.sharedBelow(
      layers.map(({ layer }, i) => ({ ...layer, name: layer.image.name, observer: observers[numbers[i]!] ?? null })),
      projection,
    );
    const forms = drawn.map((layer) => ({
      hasRing: layer.image.texture.description.ring !== null,
      isTurned: layer.image.texture.description.edges !== undefined,
      comparison: shaderOf(layer),
      adds: layer.blend === 'add',
      isFiltered: layer.image.table !== undefined,
      below: (sharing?.[layers.indexOf(layer)] ?? []).map((i) => numbers[i]!).filter((i) => i >= 0),
    }));
    const program = programFor(forms, projection.kind, below !== null);
    if (!program) return null;
    const whole = unionOf(images.map(imagePart));
    const area = others?.shownSides(view.projected, whole) ?? whole;
    const finest = Math.min(...images.map(({ texture }) => texture.description.imageScale));
    const isCoarse = projection.kind === 'plane' && finest * devicePixels() >= COARSE * scale;
    const part = moving !== null ? partOf(view, area) : wholeOf(view);
    const centre = onSun(view.camera, view.size, { x: part.left + part.width / 2, y: part.top + part.height / 2 });
    const corner = onSun(view.camera, view.size, { x: 0, y: 0 });
    const density = moving !== null ? Math.min(moving, isCoarse ? 1 / COARSE : 1) : 1;
    const pixels = devicePixels() * density;
    const ofLayers = Object.entries(LAYER_NUMBERS).map(([name, of]) => [name, drawn.flatMap(of)] as const);
    const textures = [...images, ...drawn.map(({ image, reference }) => reference ?? image)].map(({ texture }) => texture);
    const tables = drawn.flatMap(({ image, reference }) => [image.table, reference?.table]);
    const drawing = {
      ground: below,
      part,
      pixels: { width: Math.round(part.width * pixels), height: Math.round(part.height * pixels) },
      numbers: {
        screen: [part.width, part.height],
        camera: [centre.x, centre.y, scale],
        nodes: [corner.x, corner.y, ((others?.WEIGHT_STEP ?? 1) * scale) / pixels],
        area: [area.left, area.top, area.right, area.bottom],
        ...Object.fromEntries(ofLayers),
        parameter: [recordOf(projection.kind).parameter?.(projection, distanceRadii) ?? 0],
        turns: observers.flatMap((from) => turnTo(viewpointOf(from), projection, from.l0Degrees)),
        groundTurn: turnTo({ latitude: 0, longitude: 180 - l0Degrees }, projection, l0Degrees),
        distances: observers.map(({ distanceRadii }) => distanceRadii),
        besides: observers.map((from) => others?.weightBeside(from, projection) ?? 0),
      },
    };
    const colours = drawn.map((layer, i) => rowOf(layer, i));
    const contents = textures.map(({ content }) => content);
    const key = pictureKey([drawing, projection.kind, forms, contents, colours.map((of) => of.key)]);
    return { ...drawing, key, program, textures: textures.map(({ grey }) => grey), tables, colours };
  }

  function paint({ program: { program, uniforms }, numbers, textures, tables, colours, ground: below }: Drawing): void {
    gl.useProgram(program);
    for (const { name, type, location } of uniforms) {
      const values = numbers[name];
      // The others are textures.
      if (!values) continue;
      if (type === gl.FLOAT_MAT3) gl.uniformMatrix3fv(location, false, values);
      else gl[`uniform${type === gl.FLOAT ? 1 : ((type - gl.FLOAT_VEC2 + 2) as 2 | 3 | 4)}fv`](location, values);
    }
    for (const [i, texture] of textures.entries()) bind(1 + i, texture);
    bind(1 + textures.length, tableTexture, gl.TEXTURE_2D_ARRAY);
    if (tables.some((table, i) => table && table !== shown?.tables[i])) {
      const levels = concatenated(tables.map((table) => table?.levels ?? new Uint8Array(TABLE_SIDE ** 2)));
      const size = [TABLE_SIDE, TABLE_SIDE, tables.length] as const;
      gl.texImage3D(gl.TEXTURE_2D_ARRAY, 0, gl.R8, ...size, 0, gl.RED, gl.UNSIGNED_BYTE, levels);
    }
    if (below) {
      bind(2 + textures.length, groundTexture);
      if (below !== shown?.ground) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, below.picture);
    }
    bind(0, colourTexture);
    const known = shown?.colours ?? [];
    if (known.length !== colours.length || colours.some((row, i) => row !== known[i])) {
      const rows = concatenated(colours.map(({ levels }) => levels));
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, LEVELS, colours.length, 0, gl.RGBA, gl.UNSIGNED_BYTE, rows);
    }
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  const [colourTexture, tableTexture, groundTexture] = [newTexture(), newTexture(gl.TEXTURE_2D_ARRAY), newTexture()];
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.REPEAT);
  const form = { hasRing: false, isTurned: false, comparison: null, adds: false, isFiltered: false, below: [] };
  if (!programFor([form], 'plane', false)) return null;
  return {
    element,
    blank,
    put,

    get isLost(): boolean {
      return gl.isContextLost();
    },

    get mostPixels(): number {
      return gl.getParameter(gl.MAX_TEXTURE_SIZE) as number;
    },

    texture(picture: ImageBitmap, description: FrameDescription): Texture {
      const texture = blank({ width: picture.width, height: picture.height });
      put(texture, picture, { left: 0, top: 0 });
      return { ...texture, description, blackLevels: BLACK_LEVELS_OF_FRAMES };
    },

    copy(from: Undescribed, source: Part, to: Undescribed, target: Part): void {
      const targets = [gl.READ_FRAMEBUFFER, gl.DRAW_FRAMEBUFFER];
      const buffers = targets.map((kind, i) => {
        const buffer = gl.createFramebuffer();
        gl.bindFramebuffer(kind, buffer);
        gl.framebufferTexture2D(kind, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, [from, to][i]!.grey, 0);
        return buffer;
      });
      const corners = ({ left, top, width, height }: Part) => [left, top, left + width, top + height] as const;
      gl.blitFramebuffer(...corners(source), ...corners(target), gl.COLOR_BUFFER_BIT, gl.LINEAR);
      for (const kind of targets) gl.bindFramebuffer(kind, null);
      for (const buffer of buffers) gl.deleteFramebuffer(buffer);
      to.content = ++contents;
    },

    free(...textures: readonly Pick<Texture, 'grey'>[]): void {
      for (const { grey } of textures) gl.deleteTexture(grey);
    },

    /**
     * Draws layers from the bottom to the top, unless the canvas shows them already.
     * @param density Of what moves, pixels of the canvas per pixel of the screen, in width, at most; the canvas then covers only the part of the
     * screen that has something of it. Null: all pixels of the screen
     * @param left What is drawn in their place up to a part of the width
     * @returns whether something new has been drawn
     */
    draw(
      layers: readonly KnownLayer[],
      view: ScreenView,
      density: number | null = null,
      left: { readonly layers: readonly KnownLayer[]; readonly share: number } | null = null,
    ): boolean {
      const drawing = drawingOf(layers, view, density);
      const other = left && drawingOf(left.layers, view, density);
      const key = other ? pictureKey([drawing?.key, other.key, left.share]) : drawing?.key;
      if (key !== undefined && key === shown?.key) return false;
      const { width, height } = drawing?.pixels ?? view.size;
      if (element.width !== width || element.height !== height) {
        element.width = width;
        element.height = height;
      }
      const part = drawing?.part ?? wholeOf(view);
      for (const side of ['left', 'top', 'width', 'height'] as const) element.style.setProperty(side, `${part[side]}px`);
      gl.viewport(0, 0, width, height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      if (drawing) paint(drawing);
      shown = drawing;
      if (other) {
        gl.enable(gl.SCISSOR_TEST);
        gl.scissor(0, 0, Math.round(width * left.share), height);
        gl.clear(gl.COLOR_BUFFER_BIT);
        paint(other);
        gl.disable(gl.SCISSOR_TEST);
        shown = { ...other, key: key! };
      }
      noteObservers(layers.flatMap(({ image }) => (image ? [[image.image.id, image.texture.description] as const] : [])));
      return true;
    },
  };
}

export type MotionCanvas = NonNullable<ReturnType<typeof canvasOn>>;

/** A canvas that is made anew after the browser has taken the graphics processor away; null without WebGL 2. */
export function keptCanvas(): () => MotionCanvas | null {
  let kept: MotionCanvas | null | undefined;
  return () => {
    if (kept === undefined || kept?.isLost) {
      const element = Object.assign(document.createElement('canvas'), { className: 'motion' });
      const gl = element.getContext('webgl2', { antialias: false, depth: false, preserveDrawingBuffer: true });
      kept = gl && canvasOn(element, gl);
    }
    return kept;
  };
}

/** The canvas of the page. */
export const sharedCanvas = keptCanvas();
