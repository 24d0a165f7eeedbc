/** Groups of 16 bits in an IPv6 address. */
const GROUPS = 8;
const GROUP_BITS = 16;
/** Groups in the network of an IPv6 address that is a client. */
export const CLIENT_GROUPS = 4;
/** Bits of a range of clients, by their family. */
export const CLIENT_BITS = { 4: 32, 6: CLIENT_GROUPS * GROUP_BITS } as const;
const OCTET_BITS = 8;

const bits = (values: readonly number[], width: number) => values.map((value) => value.toString(2).padStart(width, '0')).join('');

/** The groups of an IPv6 address: `::` stands for as many zeros as are missing, as does the end of a network without it. */
function ipv6Groups(address: string): number[] {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, GROUPS - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

/** The first groups of an IPv6 address, as text. */
export const ipv6Network = (address: string, groups: number): string =>
  ipv6Groups(address)
    .slice(0, groups)
    .map((group) => group.toString(16))
    .join(':');

/** Bits of an address behind its family; null for what is none. */
function bitsOf(address: string): string | null {
  if (address.includes(':')) {
    const groups = ipv6Groups(address);
    return address.split('::').length <= 2 &&
      groups.length === GROUPS &&
      groups.every((group) => group >= 0 && group < 1 << GROUP_BITS)
      ? `6 ${bits(groups, GROUP_BITS)}`
      : null;
  }
  const octets = /^\d{1,3}(\.\d{1,3}){3}$/.test(address) ? address.split('.').map(Number) : [];
  return octets.length > 0 && octets.every((octet) => octet < 1 << OCTET_BITS) ? `4 ${bits(octets, OCTET_BITS)}` : null;
}

/** The start of the bits of all clients in `address/length`; null for another text, and for a part of a client. */
export function rangeBits(range: string): string | null {
  const [, address = '', length = ''] = /^([\da-fA-F:.]+)\/(\d{1,3})$/.exec(range) ?? [];
  const all = bitsOf(address);
  const most = address.includes(':') ? CLIENT_BITS[6] : CLIENT_BITS[4];
  return all !== null && length !== '' && Number(length) <= most ? all.slice(0, '4 '.length + Number(length)) : null;
}

/** Whether an address is in the range with these bits. */
export const isInRange = (address: string, range: string): boolean => bitsOf(address)?.startsWith(range) ?? false;

/** The network of an address that a provider gives to a customer, or a department has: /24 of IPv4, /48 of IPv6; null for what is no address. */
export function networkAround(address: string): string | null {
  if (bitsOf(address) === null) return null;
  return address.includes(':') ? `${ipv6Network(address, 3)}::/48` : `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
}
