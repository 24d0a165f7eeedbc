// Draws layers from grey frames by WebGL 2: colours, masks and opacity are those of the tiles, at the same places.
import { coloursOf, type FrameDescription } from '../../../domain/moving-frame.ts';
import type { ImageRecord } from '../api/image-record.ts';
import type { LayerStyle } from '../picture/frame-layer.ts';
import { type Box, type Camera, devicePixels, imageBox, onScreen, type Size } from '../picture/geometry.ts';
import { FRAGMENT, VERTEX } from './shaders.ts';

/** A frame in the memory of the graphics processor. */
export interface Texture {
  readonly grey: WebGLTexture;
  readonly colours: WebGLTexture;
  readonly description: FrameDescription;
  readonly size: Size;
}

export interface DrawnLayer extends LayerStyle {
  readonly image: ImageRecord;
  readonly texture: Texture;
}

type Uniforms = Readonly<Record<string, WebGLUniformLocation | null>>;

const NO_EDGE = [0, 0, -1] as const;
const COLOURS = 256;

function compiled(gl: WebGL2RenderingContext, kind: number, source: string): WebGLShader {
  const shader = gl.createShader(kind)!;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

/** Null where the shaders cannot be used. */
function linked(gl: WebGL2RenderingContext): { readonly program: WebGLProgram; readonly uniforms: Uniforms } | null {
  const program = gl.createProgram();
  gl.attachShader(program, compiled(gl, gl.VERTEX_SHADER, VERTEX));
  gl.attachShader(program, compiled(gl, gl.FRAGMENT_SHADER, FRAGMENT));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) as number;
  const names = Array.from({ length: count }, (_, i) => gl.getActiveUniform(program, i)!.name);
  return { program, uniforms: Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)])) };
}

function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

export class MotionCanvas {
  readonly element: HTMLCanvasElement;
  readonly #gl: WebGL2RenderingContext;
  readonly #uniforms: Uniforms;

  private constructor(element: HTMLCanvasElement, gl: WebGL2RenderingContext, uniforms: Uniforms) {
    this.element = element;
    this.#gl = gl;
    this.#uniforms = uniforms;
  }

  /** Null where the browser has no WebGL 2. */
  static create(): MotionCanvas | null {
    const element = document.createElement('canvas');
    element.className = 'motion';
    const gl = element.getContext('webgl2', { antialias: false, depth: false, preserveDrawingBuffer: true });
    const made = gl && linked(gl);
    if (!gl || !made) return null;
    gl.useProgram(made.program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.uniform1i(made.uniforms.grey!, 0);
    gl.uniform1i(made.uniforms.colours!, 1);
    return new MotionCanvas(element, gl, made.uniforms);
  }

  /** Whether the browser has taken the graphics processor away. */
  get isLost(): boolean {
    return this.#gl.isContextLost();
  }

  /** Loads a decoded frame. */
  texture(picture: ImageBitmap, description: FrameDescription): Texture {
    const gl = this.#gl;
    const made = (unit: number) => {
      const texture = gl.createTexture();
      gl.activeTexture(unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      for (const axis of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, axis, gl.CLAMP_TO_EDGE);
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
      return texture;
    };
    const grey = made(gl.TEXTURE0);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, gl.RED, gl.UNSIGNED_BYTE, picture);
    const colours = made(gl.TEXTURE1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, COLOURS, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, coloursOf(description));
    return { grey, colours, description, size: { width: picture.width, height: picture.height } };
  }

  free({ grey, colours }: Texture): void {
    this.#gl.deleteTexture(grey);
    this.#gl.deleteTexture(colours);
  }

  /** Draws layers from the bottom to the top. */
  draw(layers: readonly DrawnLayer[], camera: Camera, size: Size): void {
    const gl = this.#gl;
    const [width, height] = [size.width, size.height].map((pixels) => Math.round(pixels * devicePixels()));
    if (this.element.width !== width || this.element.height !== height) {
      this.element.width = width!;
      this.element.height = height!;
    }
    gl.viewport(0, 0, width!, height!);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.#uniforms.screen!, size.width, size.height);
    for (const layer of layers) this.#drawLayer(layer, camera, size);
  }

  #drawLayer({ image, texture, opacity, range }: DrawnLayer, camera: Camera, size: Size): void {
    const gl = this.#gl;
    const { imageScale, sun, ring, isBlackTransparent } = texture.description;
    const frame: Box = {
      left: -sun.x * imageScale,
      top: -sun.y * imageScale,
      right: (texture.size.width - sun.x) * imageScale,
      bottom: (texture.size.height - sun.y) * imageScale,
    };
    // The frame ends at a block, which may lie beyond the image.
    const { left, top, right, bottom } = intersection(frame, imageBox(image));
    if (left >= right || top >= bottom) return;
    const [from, to] = [onScreen(camera, size, { x: left, y: top }), onScreen(camera, size, { x: right, y: bottom })];
    const inFrame = (arcsec: number, centre: number) => arcsec / imageScale + centre;
    const uniforms = this.#uniforms;
    gl.uniform4f(uniforms.place!, from.x, from.y, to.x, to.y);
    gl.uniform4f(uniforms.part!, inFrame(left, sun.x), inFrame(top, sun.y), inFrame(right, sun.x), inFrame(bottom, sun.y));
    gl.uniform1f(uniforms.opacity!, opacity / 100);
    gl.uniform3f(uniforms.range!, range.low, range.high, range.gamma);
    gl.uniform1i(uniforms.isBlackTransparent!, Number(isBlackTransparent));
    gl.uniform3fv(uniforms.inner!, ring ? [ring.inner.x, ring.inner.y, ring.inner.radius] : NO_EDGE);
    gl.uniform3fv(uniforms.outer!, ring ? [ring.outer.x, ring.outer.y, ring.outer.radius] : NO_EDGE);
    gl.uniform1f(uniforms.softness!, Math.max(ring?.softness ?? 0, 1));
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture.grey);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, texture.colours);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
}
