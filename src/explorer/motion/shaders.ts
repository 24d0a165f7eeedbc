// Shaders of layers that play or are projected, for one pass over the picture. Places are arcseconds from the centre of the Sun, x to the
// west, y down; those of a frame are pixels from its upper left corner.
import { SHADER_CODE } from '../../picture/operations/operations.ts';
import type { ProjectionKind } from '../../picture/projection.ts';
import { ARCSEC_PER_RADIUS } from '../../picture/projections/mapping.ts';
import { projections, recordOf } from '../picture/projecting.ts';

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

interface LayerForm {
  readonly hasRing: boolean;
  /** Whether its image has been turned to the north, so that its sides are oblique. */
  readonly isTurned: boolean;
  /** The function that compares the frame with an older one; null where it is shown itself. */
  readonly comparison: string | null;
  readonly adds: boolean;
  /** Whether its levels are filtered by tables. */
  readonly isFiltered: boolean;
  /** Numbers of the layers below with which it shares places. */
  readonly below: readonly number[];
}

/** The numbers of the layers that share places. */
const sharingOf = (forms: readonly LayerForm[]) =>
  new Set(forms.flatMap(({ below }, i) => (below.length > 0 ? [i, ...below] : [])));

const each = (forms: readonly LayerForm[], text: (form: LayerForm, i: number) => string) => forms.map(text).join('\n');

const projected = () => `const float RADIUS = ${ARCSEC_PER_RADIUS};
const float PI = ${Math.PI};
uniform vec3 camera;
uniform float parameter;
float edgeAt(float radii, float edge) {
  return clamp((edge - radii) * RADIUS / camera.z + 0.5, 0.0, 1.0);
}
${projections.value!.SPACE_SHADER}`;

/** What a layer shows of the point that a projection finds: `plane`, the place in the plane of the observer of its image, and `at`, that in its frame. */
function placing(kind: ProjectionKind, i: number): string {
  const inFrame = `  at = plane * places[${i}].x + places[${i}].yz;
  opacity = places[${i}].w * shown`;
  const { finds } = recordOf(kind);
  if (finds === 'plane') return `${inFrame};`;
  if (finds === 'space')
    return `  seen = inSpace(sun, p, under, turns[${i}], distances[${i}]);
  plane = seen.xy * vec2(RADIUS, -RADIUS);
${inFrame} * seen.z;`;
  // What the observer of the image sees of the point, if it is on the side towards that observer.
  return `  seen = turns[${i}] * sun;
  plane = seen.xy * vec2(RADIUS, -RADIUS) * distances[${i}] / (distances[${i}] - seen.z);
${inFrame} * step(1.0 / distances[${i}], seen.z);`;
}

/** The ground at a point of the Sun, a map with the middle of its frame in its middle. */
const GROUND = `  seen = groundTurn * sun;
  colour = textureLod(ground, vec2(0.5 * atan(seen.x, seen.z), acos(clamp(seen.y, -1.0, 1.0))) / PI + vec2(0.5, 0.0), 0.0) * shown;`;

/** How much of the ground an image covers, as in maps of the service: nothing below mu 0.15, all from 0.5 on. */
const COVERS = ' * smoothstep(0.15, 0.5, seen.z)';

/** The level of an image of a layer, after its filter. */
function shown(i: number, isFiltered: boolean, name: 'grey' | 'older'): string {
  const [part, table] = name === 'grey' ? ['xy', 2 * i] : ['zw', 2 * i + 1];
  const level = `textureLod(${name}${i}, at * texels[${i}].${part}, 0.0).r`;
  return isFiltered ? `filtered(${level}, plane, annuli[${i}].${part}, ${table}.0)` : level;
}

/** Colours and masks as tiles have them (src/picture/raster/mask.ts), of layers from the bottom to the top, over a ground where there is one. */
export const fragmentOf = (
  forms: readonly LayerForm[],
  kind: ProjectionKind,
  hasGround: boolean,
  count = Math.max(forms.length, 1),
  sharing = sharingOf(forms),
) => `#version 300 es
precision highp float;
precision highp sampler2D;
/** A row for each layer: colours and opacity of its levels, the colours times the opacity. */
uniform sampler2D colours;
${each(forms, ({ comparison }, i) => `uniform sampler2D grey${i};${comparison ? ` uniform sampler2D older${i};` : ''}`)}
/** For each layer: pixels per arcsecond, the centre of the Sun, opacity. */
uniform vec4 places[${count}];
/** Left, top, right, bottom of the image in its frame. */
uniform vec4 bounds[${count}];
/** Both of the image with which a layer is compared. */
uniform vec4 olderPlaces[${count}];
uniform vec4 olderBounds[${count}];
/** Centre, radius and softness of the edges of a ring: pixels over which they fade. */
uniform vec4 inner[${count}];
uniform vec4 outer[${count}];
/** A turned image: factors of the place and a constant, whose sums are -1 and 1 at its sides. */
uniform vec4 across[${count}];
uniform vec4 down[${count}];
/** Turn from the frame of the screen into that of the observer of each image, and the distance of that observer in solar radii. */
uniform mat3 turns[${count}];
uniform float distances[${count}];
/** Weights of what those observers see beside the Sun. */
uniform float besides[${count}];
/** One by the width and the height of each frame, and of the one with which it is compared. */
uniform vec4 texels[${count}];
/** Factors and constants by which a distance from the Sun becomes a place in the table of a layer, and of the image with which it is compared. */
uniform vec4 annuli[${count}];
uniform highp sampler2DArray tables;
in vec2 place;
out vec4 colour;
${kind === 'plane' ? '' : projected()}
${sharing.size > 0 ? projections.value!.weightShader(kind) : ''}
uniform sampler2D ground;
uniform mat3 groundTurn;
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
/** The levels of the annuli next to a place, linear between their centres. */
float filtered(float level, vec2 plane, vec2 annulus, float table) {
  return textureLod(tables, vec3((floor(level * 255.0 + 0.5) + 0.5) / 256.0, length(plane) * annulus.x + annulus.y, table), 0.0).r;
}
void main() {
  vec2 plane;
  vec2 at;
  vec4 upper;
  vec3 seen;
  float opacity;
  float level;
${recordOf(kind).shader}
${hasGround ? GROUND : ''}
${each(
  forms,
  ({ hasRing, isTurned, comparison, adds, isFiltered, below }, i) => `${placing(kind, i)}
  opacity *= within(at, bounds[${i}])${hasGround ? COVERS : ''};
${isTurned ? `  opacity *= within(vec2(dot(across[${i}].xyz, vec3(plane, 1.0)), dot(down[${i}].xyz, vec3(plane, 1.0))), vec4(-1.0, -1.0, 1.0, 1.0));` : ''}
  level = ${shown(i, isFiltered, 'grey')};
${hasRing ? `  opacity *= beyond(at, inner[${i}]) * (1.0 - beyond(at, outer[${i}]));` : ''}
${
  comparison
    ? `  at = plane * olderPlaces[${i}].x + olderPlaces[${i}].yz;
  opacity *= within(at, olderBounds[${i}]);
  level = ${comparison}(level, ${shown(i, isFiltered, 'older')});`
    : ''
}
  upper = colourAt(level, ${i}) * opacity;
${
  sharing.has(i)
    ? `  float weight${i} = weightOf(${i});
  float others${i} = 0.0${below.map((j) => ` + shown${j}`).join('')};
  float shown${i} = weight${i} * upper.a;
  if (others${i} > 0.0) upper *= weight${i} / (weight${i} + others${i});`
    : ''
}
  colour = ${i === 0 && !hasGround ? 'upper' : adds ? 'min(colour + floor(upper * 255.0 + 0.5) / 255.0, 1.0)' : 'upper + colour * (1.0 - upper.a)'};`,
)}
}
`;
