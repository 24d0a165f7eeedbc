/** What comes before the next call of a method, which is called after `work`. */
export function beforeNext<Name extends string>(
  object: Record<Name, (...given: never[]) => Promise<unknown>>,
  name: Name,
  work: () => unknown,
): void {
  const method = object[name];
  object[name] = async (...given: never[]) => {
    object[name] = method;
    await work();
    return method.apply(object, given);
  };
}
