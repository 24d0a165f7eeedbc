/** What gives its holder the right to something: the answer of the video host to an authorisation. */
const SECRET_PARAMETERS: readonly string[] = ['code', 'state'];

/** The address of a request for the log, without the values that nobody but its sender may know. */
export function loggedUrl(address: string): string {
  const url = new URL(address);
  for (const name of SECRET_PARAMETERS) if (url.searchParams.has(name)) url.searchParams.set(name, 'hidden');
  return url.href;
}
