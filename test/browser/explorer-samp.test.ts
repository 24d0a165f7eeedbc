// Messages to other programs, with the SAMP hub of astropy and a client in the place of these. Skipped by name without python3-astropy.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedPages } from '../support/browser/explorer-pages.ts';
import { hasModules, PYTHON } from '../support/programs.ts';
import { inFolder } from '../support/system/in-folder.ts';

const hasAstropy = hasModules('astropy.samp');

/**
 * A hub whose user allows every page, and which delivers messages half a second after it has answered the call; with `--client` a client
 * that prints the parameters of its messages.
 */
const HUB = `
import json, os, sys, threading, time
from astropy import log
from astropy.samp import SAMPHubServer, SAMPIntegratedClient, conf
from astropy.samp.hub import WebProfileDialog
conf.use_internet = False
# Its lines would run into those of the client, which another thread writes.
log.setLevel('CRITICAL')

class Allow(WebProfileDialog):
    def show_dialog(self, *request):
        tell(json.dumps({'type': 'asked'}))
        self.consent()

class SlowHub(SAMPHubServer):
    def _notify_(self, *message):
        time.sleep(0.5)
        super()._notify_(*message)

def tell(line):
    sys.stdout.write(line + '\\n')
    sys.stdout.flush()

dialog = Allow()
hub = SlowHub(web_profile=True, web_profile_dialog=dialog)
hub.start()
if '--client' in sys.argv:
    client = SAMPIntegratedClient(name='stand-in')
    client.connect()
    for understood in ('jhv.load.request', 'image.load.fits', 'table.load.votable', 'samp.hub.event.unregister'):
        client.bind_receive_notification(understood, lambda key, sender, type, params, extra: tell(json.dumps({'type': type, **params})))
# Ends with the test, however that ends.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
tell('ready')
while True:
    dialog.handle_queue()
    time.sleep(0.05)
`;

/** What has happened at a hub, oldest first: questions to its user (`asked`), and messages by their type with their parameters. */
type HubRecord = { readonly type: string } & Readonly<{ [parameter: string]: string }>;
interface RunningHub {
  ofType(...types: readonly string[]): readonly HubRecord[];
}

async function withHub(args: readonly string[], use: (hub: RunningHub) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const env = { ...process.env, HOME: folder, SAMP_HUB: `std-lockurl:file://${folder}/samp` };
    const child: ChildProcess = spawn(PYTHON, ['-c', HUB, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      const records: HubRecord[] = [];
      await new Promise<void>((resolve, reject) => {
        child.once('close', () => reject(new Error('The SAMP hub has ended.')));
        createInterface({ input: child.stdout! }).on('line', (line) => {
          if (line === 'ready') resolve();
          else records.push(JSON.parse(line));
        });
      });
      await use({ ofType: (...types) => records.filter(({ type }) => types.includes(type)) });
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
}

const { pages } = sharedPages('seven', { mayLogErrors: true });
let page: Page;

/** Sends the view from the tab of JHelioviewer. */
async function send(): Promise<void> {
  page = await pages.openTool('data', '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100],[4,1,100]');
  await page.click('#tab-JHelioviewer');
  await page.click('button:has-text("Send to JHelioviewer")');
}

/** The hub and its client take a while on a busy machine. */
const PATIENCE = { timeout: 30_000 };
const says = (sentence: string) => expect.poll(() => page.textContent('#code'), PATIENCE).toContain(sentence);

describe(`"Send to JHelioviewer"${hasAstropy ? '' : ' without python3-astropy'}`, () => {
  it('says that no SAMP hub runs', async () => {
    await send();
    await says('No SAMP hub runs on this computer.');
  });

  it.skipIf(!hasAstropy)('says that no program takes the message, when only a hub runs', async () => {
    await withHub([], async () => {
      await send();
      await says('no program there takes requests for JHelioviewer');
    });
  });

  it.skipIf(!hasAstropy)('sends the visible layers for the day around the view through a hub', async () => {
    await withHub(['--client'], async ({ ofType }) => {
      await send();
      await says('Sent.');
      await expect.poll(() => ofType('jhv.load.request').length, PATIENCE).toBe(1);
      const day = { startTime: '2024-05-09T19:00:00', endTime: '2024-05-10T19:00:00' };
      expect(JSON.parse(ofType('jhv.load.request')[0]!.value!)).toEqual({
        'org.helioviewer.jhv.request.image': [
          { server: 'helioedge', observatory: 'SDO', dataset: 'AIA 171', ...day },
          { server: 'helioedge', observatory: 'SOHO', dataset: 'LASCO C2 white-light', ...day },
        ],
      });
    });
  });
});

describe(`"Send to ds9" and "Send to TOPCAT"${hasAstropy ? '' : ' without python3-astropy'}`, () => {
  it.skipIf(!hasAstropy)('send the addresses of a FITS file of the image and of a table of the images', async () => {
    await withHub(['--client'], async ({ ofType }) => {
      const messages = () => ofType('image.load.fits', 'table.load.votable');
      page = await pages.openTool('data', '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]');
      for (const [i, program] of ['SAOImage ds9', 'TOPCAT'].entries()) {
        const button = page.locator('.panel p', { hasText: `Send to ${program}` });
        await button.getByRole('button').click();
        await expect.poll(() => button.textContent(), PATIENCE).toContain(`Sent to ${program}.`);
        await expect.poll(() => messages().length, PATIENCE).toBe(i + 1);
      }
      expect(ofType('asked')).toHaveLength(1);
      const [image, table] = messages();
      expect(image).toMatchObject({ type: 'image.load.fits', name: expect.stringMatching(/^AIA 171 2024-05-10 07:00:0\d UTC$/) });
      expect(table).toMatchObject({ type: 'table.load.votable', name: 'AIA 171' });
      expect(await (await fetch(image!.url!)).text()).toMatch(/^SIMPLE {2}= +T[\s\S]*BUNIT/);
      expect(await (await fetch(table!.url!)).text()).toMatch(/<VOTABLE[\s\S]*<TD>2024-05-10T07:00:0/);
      await page.goto('about:blank');
      await expect.poll(() => ofType('samp.hub.event.unregister').length, PATIENCE).toBe(1);
    });
  });

  it.skipIf(!hasAstropy)('register again with a hub that has been started again', async () => {
    page = await pages.openTool('data', '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]');
    const button = page.locator('.panel p', { hasText: 'Send to TOPCAT' });
    for (const _ of ['first', 'second']) {
      await withHub(['--client'], async ({ ofType }) => {
        await button.getByRole('button').click();
        await expect.poll(() => ofType('table.load.votable').length, PATIENCE).toBe(1);
        expect(ofType('asked')).toHaveLength(1);
      });
    }
  });
});
