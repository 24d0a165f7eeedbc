// Shaders of layers that play. Places on the screen are pixels from its upper left corner; those of a frame are pixels from its own.

export const VERTEX = `#version 300 es
uniform vec2 screen;
/** Left, top, right, bottom of the layer on the screen, and of the same part of the frame. */
uniform vec4 place;
uniform vec4 part;
out vec2 at;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  at = mix(part.xy, part.zw, corner);
  vec2 pixel = mix(place.xy, place.zw, corner);
  gl_Position = vec4(2.0 * pixel.x / screen.x - 1.0, 1.0 - 2.0 * pixel.y / screen.y, 0.0, 1.0);
}
`;

/** Colours and masks as tiles have them: src/imaging/mask.ts. */
export const FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D grey;
uniform sampler2D colours;
uniform float opacity;
/** Lowest and highest level of the colours, and gamma: src/domain/explorer/display/colour-range.ts. */
uniform vec3 range;
uniform bool isBlackTransparent;
/** Centre and radius of the inner and the outer edge of a ring; a radius below 0 stands for none. */
uniform vec3 inner;
uniform vec3 outer;
/** Pixels over which the edges fade. */
uniform float softness;
in vec2 at;
out vec4 colour;
float beyond(vec3 edge) {
  return clamp((distance(at, edge.xy) - edge.z) / softness + 0.5, 0.0, 1.0);
}
void main() {
  float value = texture(grey, at / vec2(textureSize(grey, 0))).r;
  float alpha = opacity;
  if (outer.z >= 0.0) alpha *= beyond(inner) * (1.0 - beyond(outer));
  if (isBlackTransparent && value < 1.5 / 255.0) alpha = 0.0;
  // The middle of the first colour stands for 0, that of the last for 1.
  float ranged = pow(clamp((value * 255.0 - range.x) / (range.y - range.x), 0.0, 1.0), 1.0 / range.z);
  vec3 rgb = texture(colours, vec2((ranged * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  colour = vec4(rgb * alpha, alpha);
}
`;
