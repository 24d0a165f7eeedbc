// The canonical name of an answer: however a request spells its parameters, the same answer has the same key.

/** A parameter as an operation uses it: parsed, defaulted, normalised. Undefined ones are not part of the key. */
export type CanonicalValue = string | number | boolean | readonly (string | number)[] | undefined;
export type CanonicalValues = Readonly<Record<string, CanonicalValue>>;

function spelled(value: Exclude<CanonicalValue, undefined>): string {
  return Array.isArray(value) ? value.map(String).join(',') : String(value);
}

/** `<operation>?a=1&b=2`: names sorted, numbers in their shortest form, lists joined in their order. */
export function cacheKey(operation: string, values: CanonicalValues): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(values).sort()) {
    const value = values[name];
    if (value !== undefined) query.append(name, spelled(value));
  }
  return `${operation}?${query}`;
}
