// The receiver and the example of docs/tools.md, run as they are against the application.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runSnippet } from '../../support/browser/snippets.ts';
import { runCommand, runHere } from '../../support/commands.ts';
import { hasModules } from '../../support/programs.ts';
import { serveApp } from '../../support/serve-app.ts';
import { localServer } from '../../support/system/local-server.ts';
import { ADMIN_TOKEN, webhookReceiver, webhookService } from '../../support/webhooks/webhook-service.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/tools.md'), 'utf8');
const section = page.slice(page.indexOf('\n## Webhooks\n'));
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(section)![1]!;

/** A port that no program has. */
async function unusedPort(): Promise<string> {
  const server = await localServer(() => undefined);
  await server.close();
  return new URL(server.url).port;
}

it.skipIf(!hasModules('hmac'))('The receiver in Python takes a test with a good signature, and no other message.', async () => {
  const { services, app } = webhookService({ clock: Date.now });
  const served = await serveApp((request) => app(request));
  const port = await unusedPort();
  const receiver = `cat > receiver.py <<'END'\n${blockOf('python')}END\n`;
  const forged = `curl -sS -o forged.txt -w '%{http_code}\\n' -H 'Webhook-Id: 1' -H "Webhook-Timestamp: $(date +%s)" \\
    -H 'Webhook-Signature: v1,AAAA' --data '{}' http://127.0.0.1:8790/ >> forged.log\n`;
  const example = blockOf('sh').replace('kill $!', `${forged}kill $!`).replace('$(cat .wrangler/state/admin-token)', ADMIN_TOKEN);
  const text = (receiver + example).replaceAll('http://127.0.0.1:8787', served.url).replaceAll('8790', port);
  await runSnippet('shell', text, async (run) => {
    expect(JSON.parse(run.stdout)).toMatchObject({ isReceived: true, status: 204, sentence: null });
    const lines = String(await run.file('announced.jsonl'))
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ type: 'test', data: { webhook: 1 } }]);
    expect(String(await run.file('forged.log'))).toBe('401\n');
  });
  expect(await services.webhooks.list()).toMatchObject([{ sources: [10], eventTypes: ['FL'] }]);
  await served.close();
});

it('npm run webhooks registers a webhook, lists, tests and removes it, and says why the service refuses', async () => {
  const { app, services } = webhookService({ clock: Date.now });
  let isLost = false;
  const served = await serveApp(async (request) => {
    const response = await app(request);
    return isLost ? new Response('{}', { status: 502 }) : response;
  });
  const there = await webhookReceiver();
  const env = { HELIOEDGE_URL: served.url, ADMIN_TOKEN };
  const run = (...args: string[]) => runHere('src/cli/webhooks.ts', args, env);
  const order = ['add', there.address, '--sources', '10,13', '--events', 'FL'];
  const added = await runCommand('src/cli/webhooks.ts', order, env);
  expect(JSON.parse(added.stdout)).toMatchObject({
    id: 1,
    sources: [10, 13],
    eventTypes: ['FL'],
    secret: expect.stringMatching(/^whsec_/),
  });
  expect(JSON.parse((await run()).stdout)).toMatchObject({ id: 1, address: there.address, state: 'active' });
  expect([await run('test', '1'), there.received.length]).toMatchObject([{ code: 0 }, 1]);
  there.receiver.respond = (response) => void response.writeHead(500).end();
  expect(await run('test', '1')).toMatchObject({ code: 1, stdout: expect.stringContaining('status 500') });
  expect(await run('resume', '1')).toMatchObject({ code: 1, stderr: expect.stringContaining('Webhook 1 is not paused.') });
  const sentence = 'Expected source ids separated by commas for --sources, got ten.\n';
  expect(await run('add', there.address, '--sources', 'ten')).toMatchObject({ code: 1, stderr: sentence });
  expect(await run('remove', '1')).toMatchObject({ code: 0 });
  expect(await run()).toMatchObject({ code: 0, stdout: '' });
  isLost = true;
  expect(await run('add', there.address, '--sources', '10')).toMatchObject({ code: 1 });
  // Not repeated, which would register another.
  expect(await services.webhooks.list()).toHaveLength(1);
  await Promise.all([served.close(), there.close()]);
});
