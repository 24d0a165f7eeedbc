// The typed client in Chromium, in a page of another site than the service.
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { projectRoot } from '../../src/cli/settings.ts';
import { launchChromium } from '../support/served-archive.ts';
import { service, verdict } from './verdicts.ts';
import { serveViewers } from './viewers.ts';

it('the typed client lists images, gets a picture and reads a refusal in Chromium', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(projectRoot, 'clients', 'typescript', 'client.ts')],
    bundle: true,
    format: 'iife',
    globalName: 'helioedge',
    write: false,
  });
  const browser = await launchChromium();
  const viewers = await serveViewers(browser);
  try {
    const page = await viewers.open({});
    await page.addScriptTag({ content: outputFiles[0]!.text });
    const found = await page.evaluate(`(async () => {
      const sun = helioedge.createClient({ baseUrl: '${service}' });
      const hours = [];
      for await (const { date } of sun.images({ sourceId: 10, startTime: new Date('2024-05-10'), endTime: '2024-05-11', limit: 1 }))
        hours.push(helioedge.dateOf(date).getUTCHours());
      const { id } = await sun.get('getClosestImage', { sourceId: 10, date: new Date('2024-05-10T12:00:00Z') });
      const picture = await createImageBitmap(await (await sun.response('downloadImage', { id, width: 128 })).blob());
      const refusal = await sun.get('getClosestImage', { sourceId: 10, date: 'noon' }).catch((error) => error);
      return { hours, width: picture.width, parameter: refusal.parameter, isOwn: refusal instanceof helioedge.ServiceError };
    })()`);
    verdict(`Chromium ${browser.version()}, typed client`, JSON.stringify(found));
    expect(found).toEqual({ hours: [12, 13, 14], width: 128, parameter: 'date', isOwn: true });
  } finally {
    await viewers.close();
    await browser.close();
  }
});
