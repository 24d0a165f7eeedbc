// The sources of the interfaces for other tools (docs/tools.md) in the built Worker.

/** Sources of each interface, by its name. */
export const INTERFACES: Readonly<Record<string, RegExp>> = {
  tiles: /src\/.*\/(tile-pyramid|wmts)/,
  feeds: /src\/.*\/(feeds|image-feed|event-feed)\./,
  webhooks: /src\/.*webhook/,
  HAPI: /src\/.*hapi/,
  STAC: /src\/.*\/stac/,
  IIIF: /src\/.*\/iiif/,
  Zarr: /src\/.*\/zarr/,
  MCP: /src\/.*\/mcp/,
  descriptions: /src\/.*\/descriptions/,
};

/** The parts of a bundle, in its order: the bundler names the source of each in a comment, as `src/faces/hapi/hapi.ts`. */
export function bundledSources(bundle: string) {
  const [, ...parts] = bundle.split(/^\/\/ (\S+)\n/m);
  return parts.flatMap((path, i) => (i % 2 === 0 ? [{ path, text: parts[i + 1]! }] : []));
}
