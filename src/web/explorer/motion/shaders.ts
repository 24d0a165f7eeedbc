// Shaders of layers that play or are projected, for one pass over the picture. Places are arcseconds from the centre of the Sun, x to the
// west, y down; those of a frame are pixels from its upper left corner. Projections are those of src/picture/projection.ts.
import { SHADER_CODE } from '../../../picture/operations/operations.ts';
import { ARCSEC_PER_RADIUS, POLAR_REACH, type Projection } from '../../../picture/projection.ts';

export const VERTEX = `#version 300 es
/** Width and height in pixels. */
uniform vec2 screen;
/** The centre of the screen, and arcseconds per pixel. */
uniform vec3 camera;
/** Left, top, right, bottom of all layers. */
uniform vec4 area;
out vec2 place;
void main() {
  place = mix(area.xy, area.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1));
  gl_Position = vec4(2.0 * (place - camera.xy) / (camera.z * screen) * vec2(1.0, -1.0), 0.0, 1.0);
}
`;

/** What the shader of a layer is made for. */
export interface LayerForm {
  readonly hasRing: boolean;
  /** The function that compares the frame with an older one; null where it is shown itself. */
  readonly comparison: string | null;
  /** Whether the layer adds its light to those below it. */
  readonly adds: boolean;
}

const each = (forms: readonly LayerForm[], text: (form: LayerForm, i: number) => string) => forms.map(text).join('\n');

type Kind = Projection['kind'];

/**
 * The point of the Sun at a place of the screen, solar radii in the frame of the screen: to the west, to the north, and towards the observer.
 * `shown`: whether there is one, with an edge of a pixel.
 */
const SURFACE: Readonly<Record<'sphere' | 'polar', string>> = {
  // The near end of the line of sight, in a form without differences of large numbers: its height is solved for, not its length.
  sphere: `  vec2 p = place * vec2(1.0, -1.0) / RADIUS;
  float p2 = dot(p, p);
  float under = 1.0 - p2 * (1.0 - 1.0 / (eye * eye));
  float z = eye * (p2 + eye * sqrt(max(under, 0.0))) / (p2 + eye * eye);
  vec3 sun = vec3(p * (1.0 - z / eye), z);
  float shown = edgeAt(length(p), inversesqrt(1.0 - 1.0 / (eye * eye)));`,
  polar: `  float reach = length(place) / RADIUS;
  vec2 towards = place / max(length(place), 1e-6);
  vec3 sun = vec3(sin(reach) * towards.x, pole * cos(reach), pole * sin(reach) * towards.y);
  float shown = edgeAt(reach, ${POLAR_REACH});`,
};

const PROJECTED = `const float RADIUS = ${ARCSEC_PER_RADIUS};
const float PI = ${Math.PI};
uniform vec3 camera;
/** Distance of the observer of a sphere, solar radii. */
uniform float eye;
/** 1 for the north pole, -1 for the south pole. */
uniform float pole;
float edgeAt(float radii, float edge) {
  return clamp((edge - radii) * RADIUS / camera.z + 0.5, 0.0, 1.0);
}`;

/** The point of the unwrapped picture. */
const UNWRAPPED = `  float angle = place.x / RADIUS + PI;
  plane = place.y * vec2(sin(angle), cos(angle));
  float shown = step(place.y, 0.0) * step(0.0, angle) * step(angle, 2.0 * PI);`;

/**
 * Where a projection finds the pixels of a frame: `plane`, the place in the plane of its observer, and `at`, that in the frame. `opacity` is
 * that of the part of the picture that it shows.
 */
function placing(kind: Kind, i: number): string {
  const inFrame = `  at = plane * places[${i}].x + places[${i}].yz;`;
  if (kind === 'plane') return `  plane = place;\n${inFrame}\n  opacity = places[${i}].w;`;
  if (kind === 'unwrapped') return `${inFrame}\n  opacity = places[${i}].w * shown;`;
  // What the observer of the image sees of the point, if it is on the side towards that observer.
  return `  seen = turns[${i}] * sun;
  plane = seen.xy * vec2(RADIUS, -RADIUS) * distances[${i}] / (distances[${i}] - seen.z);
${inFrame}
  opacity = places[${i}].w * shown * step(1.0 / distances[${i}], seen.z);`;
}

/** Colours and masks as tiles have them (src/imaging/mask.ts), of layers from the bottom to the top. */
export const fragmentOf = (forms: readonly LayerForm[], kind: Kind) => `#version 300 es
precision highp float;
/** A row for each layer: colours and opacity of its levels, the colours times the opacity. */
uniform sampler2D colours;
${each(forms, ({ comparison }, i) => `uniform sampler2D grey${i};${comparison ? ` uniform sampler2D older${i};` : ''}`)}
/** For each layer: pixels per arcsecond, the centre of the Sun, opacity. */
uniform vec4 places[${forms.length}];
/** Left, top, right, bottom of the image in its frame. */
uniform vec4 bounds[${forms.length}];
/** Both of the image with which a layer is compared. */
uniform vec4 olderPlaces[${forms.length}];
uniform vec4 olderBounds[${forms.length}];
/** Centre, radius and softness of the edges of a ring: pixels over which they fade. */
uniform vec4 inner[${forms.length}];
uniform vec4 outer[${forms.length}];
/** Turn from the frame of the screen into that of the observer of each image, and the distance of that observer in solar radii. */
uniform mat3 turns[${forms.length}];
uniform float distances[${forms.length}];
/** One by the width and the height of each frame, and of the one with which it is compared. */
uniform vec4 texels[${forms.length}];
in vec2 place;
out vec4 colour;
${kind === 'plane' ? '' : PROJECTED}
float within(vec2 at, vec4 box) {
  vec2 inside = step(box.xy, at) * step(at, box.zw);
  return inside.x * inside.y;
}
float beyond(vec2 at, vec4 edge) {
  return clamp((distance(at, edge.xy) - edge.z) / edge.w + 0.5, 0.0, 1.0);
}
${SHADER_CODE}
// Without a filter: of three layers, one between the colours of levels took half of the time of a drawing without a graphics processor.
vec4 colourAt(float level, int row) {
  return texelFetch(colours, ivec2(int(level * 255.0 + 0.5), row), 0);
}
void main() {
  vec2 plane;
  vec2 at;
  vec4 upper;
  vec3 seen;
  float opacity;
  float level;
${kind === 'unwrapped' ? UNWRAPPED : kind === 'plane' ? '' : SURFACE[kind]}
${each(
  forms,
  ({ hasRing, comparison, adds }, i) => `${placing(kind, i)}
  opacity *= within(at, bounds[${i}]);
  level = textureLod(grey${i}, at * texels[${i}].xy, 0.0).r;
${hasRing ? `  opacity *= beyond(at, inner[${i}]) * (1.0 - beyond(at, outer[${i}]));` : ''}
${
  comparison
    ? `  at = plane * olderPlaces[${i}].x + olderPlaces[${i}].yz;
  opacity *= within(at, olderBounds[${i}]);
  level = ${comparison}(level, textureLod(older${i}, at * texels[${i}].zw, 0.0).r);`
    : ''
}
  upper = colourAt(level, ${i}) * opacity;
  colour = ${i === 0 ? 'upper' : adds ? 'min(colour + floor(upper * 255.0 + 0.5) / 255.0, 1.0)' : 'upper + colour * (1.0 - upper.a)'};`,
)}
}
`;
