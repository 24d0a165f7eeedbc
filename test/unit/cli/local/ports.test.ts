import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { expectFreePort, freePort } from '../../../../src/cli/local/ports.ts';

it('names the process that uses a port, and the next step', async () => {
  const port = await freePort();
  await expect(expectFreePort(port)).resolves.toBeUndefined();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await expect(expectFreePort(port)).rejects.toThrow(
    new RegExp(`^Port ${port} is in use by \\S+ \\(${process.pid}\\)\\. Set PORT to another\\.$`),
  );
  await new Promise((resolve) => server.close(resolve));
});
