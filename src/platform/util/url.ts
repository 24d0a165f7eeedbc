export const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

export const isPlainHttp = ({ protocol, username, password }: URL): boolean =>
  /^https?:$/.test(protocol) && username === '' && password === '';

export const withoutEndSlash = (address: string): string => address.replace(/(?<!\/)\/+$/, '');

/** The URL of a folder, against which relative addresses resolve to what is in it. @throws TypeError for an address that is no URL */
export const folderUrl = (address: string): URL => new URL(`${withoutEndSlash(address)}/`);

/** Text without its percent-encoding; null where an escape is invalid. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
