/** The value of JSON, as text or in UTF-8; undefined for other text. */
export function parsedJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : new TextDecoder().decode(json));
  } catch {
    return undefined;
  }
}
