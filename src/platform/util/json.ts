/** The value of JSON, as text or in UTF-8; undefined for other text. */
export function parsedJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : new TextDecoder().decode(json));
  } catch {
    return undefined;
  }
}

/** As `parsedJson`, but undefined for bytes that are not UTF-8, too. */
export function strictlyParsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Whether a value of JSON is an object: no list, and not null. */
export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
