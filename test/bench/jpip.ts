// Bytes of the first view of 512 pixels of a 4096 x 4096 image by JPIP, on a new channel as desktop clients ask for it, beside those of the JP2.
import { JpipConnection, openedChannel } from '../support/jpx/jpip-client.ts';
import { largeImages } from './images.ts';
import type { Bench } from './run.ts';
import { ingest, withService } from './service.ts';

const VIEW = 'fsiz=512,512,closest&rsiz=512,512&roff=0,0&len=2097152';

export const bench: Bench = ({ log, add }) =>
  withService(log, async (url) => {
    for (const { name, fileName, file } of await largeImages(log)) {
      const id = await ingest(url, fileName, file);
      const address = await (await fetch(`${url}/v2/getJP2Image/?id=${id}&jpip=true`)).text();
      const path = address.replace(/^jpips?:\/\/[^/]+/, '');
      const connection = await JpipConnection.open(url);
      const opened = await connection.stream(`${path}?cnew=http&type=jpp-stream&tid=0&len=512`);
      let bytes = opened.body.length;
      for (const asked of ['metareq=[*]!!&len=2000000', VIEW])
        bytes += (await connection.stream(`${path}?stream=0&${asked}&cid=${openedChannel(opened).cid}`)).body.length;
      connection.close();
      add(`${name} first view of 512, against the JP2`, 'bytes', 'kB', bytes / 1000, file.length / 1000);
    }
  });
