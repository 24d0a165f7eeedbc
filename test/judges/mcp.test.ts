// The server of the Model Context Protocol before the official inspector and the client of the official SDK.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { importPackage, PACKAGES } from './packages.ts';
import { service, verdict } from './verdicts.ts';

const run = promisify(execFile);
const INSPECTOR = join(PACKAGES, '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');

/** The JSON that the inspector prints for a method. @throws Error when it fails */
async function inspected(era: string, ...method: string[]) {
  const args = [INSPECTOR, '--cli', `${service}/mcp`, '--transport', 'http', '--protocol-era', era, '--method', ...method];
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout);
}

describe.each(['modern', 'legacy'])('the inspector with the %s protocol', (era) => {
  it('lists the tools, and calls one', async () => {
    const { tools } = await inspected(era, 'tools/list');
    verdict(`MCP inspector, ${era}`, `${tools.length} tools`);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['getClosestImage', 'downloadImage']));
    const call = ['tools/call', '--tool-name', 'getClosestImage', '--tool-arg', 'sourceId=10', 'date=2024-05-10T12:00:00Z'];
    const { content } = await inspected(era, ...call);
    expect(JSON.parse(content[0].text)).toMatchObject({ name: 'AIA 171', width: 256 });
  });
});

describe('a conversation of the client of the SDK', () => {
  let close = async () => {};
  afterEach(() => close());

  it('finds an image, looks at it, and hears what is wrong with a date', async () => {
    const { Client, StreamableHTTPClientTransport } = await importPackage('@modelcontextprotocol/client/dist/index.mjs');
    const client = new Client({ name: 'judge', version: '1.0.0' });
    close = () => client.close();
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service}/mcp`)));
    expect(client.getServerVersion().name).toBe('helioedge');
    const { tools } = await client.listTools();
    const call = (name: string, values: object) => client.callTool({ name, arguments: values });
    const sources = await call('getDataSources', {});
    expect(sources.content[0].text).toContain('"nickname":"AIA 171"');
    const image = JSON.parse((await call('getClosestImage', { sourceId: 10, date: '2024-05-10T13:00:00Z' })).content[0].text);
    const picture = await call('downloadImage', { id: image.id });
    expect(picture.content[0]).toMatchObject({ type: 'image', mimeType: 'image/jpeg' });
    const mistaken = await call('getClosestImage', { sourceId: 10, date: 'noon' });
    expect(mistaken).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('for date, got noon') }] });
    verdict(
      'MCP client of the SDK',
      `${tools.length} tools, image ${image.id}, a picture of ${picture.content[0].data.length} characters`,
    );
  });
});
