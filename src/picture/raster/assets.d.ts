// Types of the assets that wrangler bundles by the rules of wrangler.toml.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}

declare module '*.ttf' {
  const bytes: ArrayBuffer;
  export default bytes;
}

declare module '*.svg' {
  const text: string;
  export default text;
}
