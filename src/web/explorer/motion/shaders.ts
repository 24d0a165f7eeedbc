// Shaders of layers that play, for one pass over the picture. Places are arcseconds from the centre of the Sun, x to the west, y down;
// those of a frame are pixels from its upper left corner.
import { CHANGE, UNCHANGED } from '../../../domain/explorer/display/comparison.ts';

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
  readonly isDifference: boolean;
}

const each = (forms: readonly LayerForm[], text: (form: LayerForm, i: number) => string) => forms.map(text).join('\n');

/** Colours and masks as tiles have them (src/imaging/mask.ts), of layers from the bottom to the top. */
export const fragmentOf = (forms: readonly LayerForm[]) => `#version 300 es
precision highp float;
/** A row for each layer: colours and opacity of its levels. */
uniform sampler2D colours;
${each(forms, ({ isDifference }, i) => `uniform sampler2D grey${i};${isDifference ? ` uniform sampler2D older${i};` : ''}`)}
/** Of each layer: pixels per arcsecond, the centre of the Sun, opacity. */
uniform vec4 places[${forms.length}];
/** Left, top, right, bottom of the image in its frame. */
uniform vec4 bounds[${forms.length}];
/** Both of the image that a layer subtracts. */
uniform vec4 olderPlaces[${forms.length}];
uniform vec4 olderBounds[${forms.length}];
/** Centre, radius and softness of the edges of a ring: pixels over which they fade. */
uniform vec4 inner[${forms.length}];
uniform vec4 outer[${forms.length}];
in vec2 place;
out vec4 colour;
float within(vec2 at, vec4 box) {
  vec2 inside = step(box.xy, at) * step(at, box.zw);
  return inside.x * inside.y;
}
float beyond(vec2 at, vec4 edge) {
  return clamp((distance(at, edge.xy) - edge.z) / edge.w + 0.5, 0.0, 1.0);
}
float levelAt(sampler2D frame, vec2 at) {
  return textureLod(frame, at / vec2(textureSize(frame, 0)), 0.0).r;
}
/** As differenceLevel in src/domain/explorer/display/comparison.ts, of levels and to a level from 0 to 1. */
float difference(float newer, float older) {
  return (${UNCHANGED}.0 + ${CHANGE.gain}.0 * clamp((newer - older) * 255.0, ${CHANGE.least}.0, ${CHANGE.most}.0)) / 255.0;
}
void over(float level, float row, float opacity) {
  // The middle of the first colour stands for 0, that of the last for 1.
  vec4 of = textureLod(colours, vec2((level * 255.0 + 0.5) / 256.0, (row + 0.5) / ${forms.length}.0), 0.0);
  float alpha = of.a * opacity;
  colour = vec4(of.rgb * alpha, alpha) + colour * (1.0 - alpha);
}
void main() {
  colour = vec4(0.0);
  vec2 at;
  float opacity;
  float level;
${each(
  forms,
  ({ hasRing, isDifference }, i) => `  at = place * places[${i}].x + places[${i}].yz;
  opacity = places[${i}].w * within(at, bounds[${i}]);
  level = levelAt(grey${i}, at);
${hasRing ? `  opacity *= beyond(at, inner[${i}]) * (1.0 - beyond(at, outer[${i}]));` : ''}
${
  isDifference
    ? `  at = place * olderPlaces[${i}].x + olderPlaces[${i}].yz;
  opacity *= within(at, olderBounds[${i}]);
  level = difference(level, levelAt(older${i}, at));`
    : ''
}
  over(level, ${i}.0, opacity);`,
)}
}
`;
