import fc from 'fast-check';
import { expect, it } from 'vitest';
import { webhookAddress } from '../../../src/operator/webhooks/webhooks.ts';

const deployed = (text: string) => webhookAddress(text, { reachesLoopback: false })?.href ?? null;
const local = (text: string) => webhookAddress(text, { reachesLoopback: true })?.href ?? null;

it.each([
  ['https://hooks.example.org/sun', 'https://hooks.example.org/sun'],
  ['https://hooks.example.org:443/sun?key=1', 'https://hooks.example.org/sun?key=1'],
  ['HTTPS://Hooks.Example.ORG', 'https://hooks.example.org/'],
  ['https://bücher.example.org/', 'https://xn--bcher-kva.example.org/'],
])('the address of a webhook may be %s', (text, href) => {
  expect([deployed(text), local(text)]).toEqual([href, href]);
});

it.each([
  ['no address', 'hooks'],
  ['another scheme', 'ftp://hooks.example.org/'],
  ['data', 'data:text/plain,hooks'],
  ['http', 'http://hooks.example.org/'],
  ['another port', 'https://hooks.example.org:8443/'],
  ['the port of ssh', 'https://hooks.example.org:22/'],
  ['a user', 'https://user@hooks.example.org/'],
  ['a password', 'https://user:password@hooks.example.org/'],
  ['a fragment', 'https://hooks.example.org/#part'],
  ['a name without a dot', 'https://intranet/'],
  ['a dot at the end', 'https://localhost./'],
  ['a name with an underscore', 'https://a_b.example.org/'],
  ['localhost', 'https://localhost/'],
  ['a name below localhost', 'https://hooks.localhost/'],
  ['loopback', 'https://127.0.0.1/'],
  ['loopback in one number', 'https://2130706433/'],
  ['loopback in hexadecimal', 'https://0x7f.0.0.1/'],
  ['loopback in octal', 'https://0177.0.0.1/'],
  ['short loopback', 'https://127.1/'],
  ['any address', 'https://0.0.0.0/'],
  ['a private network', 'https://10.0.0.1/'],
  ['a private network of 12 bits', 'https://172.16.0.1/'],
  ['a private network of 16 bits', 'https://192.168.1.1/'],
  ['shared address space', 'https://100.64.0.1/'],
  ['metadata of a cloud', 'https://169.254.169.254/latest/meta-data'],
  ['metadata of a cloud by name', 'https://metadata.google.internal/'],
  ['a public IPv4 address', 'https://93.184.216.34/'],
  ['loopback of IPv6', 'https://[::1]/'],
  ['loopback in IPv6', 'https://[::ffff:127.0.0.1]/'],
  ['a link-local address of IPv6', 'https://[fe80::1]/'],
  ['a unique local address of IPv6', 'https://[fd00::1]/'],
  ['a full-width 127.0.0.1', 'https://１２７.０.０.１/'],
  ['a name of mDNS', 'https://printer.local/'],
  ['a name of a home network', 'https://router.home.arpa/'],
  ['a hidden service', 'https://abcdefghij.onion/'],
  ['a name that is too long', `https://${'a'.repeat(64)}.example.org/`],
  ['an address that is too long', `https://hooks.example.org/${'a'.repeat(500)}`],
])('the address of a webhook must be public: %s', (_, text) => {
  expect(deployed(text)).toBeNull();
});

it('the address of a webhook may be an http address of this machine where the setting permits it, and no other', () => {
  expect(local('http://127.0.0.1:8080/hook')).toBe('http://127.0.0.1:8080/hook');
  expect(local('http://localhost:8080/')).toBe('http://localhost:8080/');
  expect(deployed('http://127.0.0.1:8080/hook')).toBeNull();
  for (const text of ['http://169.254.169.254/', 'http://10.0.0.1/', 'http://127.0.0.1.example.org/', 'http://u@127.0.0.1/']) {
    expect(local(text)).toBeNull();
  }
});

it('the address of a webhook must be a name of the public DNS under https, whatever the text', () => {
  const host = fc.oneof(
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6(),
    fc.domain(),
    fc.string(),
    fc.constantFrom('localhost', 'a.local'),
  );
  const part = fc.oneof(fc.string(), fc.constantFrom('@', ':', '//', '\\', '#', '?', '%2e', '\t', ':0', ':443'));
  const text = fc.oneof(
    fc.tuple(fc.constantFrom('https://', 'http://', 'https:', '//', ''), part, host, part).map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom('https://', 'http://'), fc.domain(), fc.constantFrom('', '/', '/a?b#c'))
      .map((parts) => parts.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (each) => {
      const url = webhookAddress(each, { reachesLoopback: false });
      if (!url) return;
      expect([url.protocol, url.port, url.username, url.password, url.hash]).toEqual(['https:', '', '', '', '']);
      expect(url.hostname).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/);
      expect(url.hostname).not.toMatch(/(^|\.)(localhost|local|internal|arpa|onion)$/);
    }),
    { numRuns: 150 },
  );
});
