// A thread that draws the frames it is told to. Several may be under way: while one is being read another one is decoded.
import { parentPort, workerData } from 'node:worker_threads';
import { ServiceConnection, ServiceUnavailable } from '../service/connection.ts';
import { HttpObjects } from '../service/http-objects.ts';
import { frameDrawer } from './frame.ts';
import { ALIVE_MS, type DrawOrder, type DrawReport, type DrawSetup } from './messages.ts';

const { serviceUrl, token, keptBytes } = workerData as DrawSetup;
const draw = frameDrawer(
  { objects: new HttpObjects(new ServiceConnection(serviceUrl, token)), now: () => performance.now() },
  keptBytes,
);

const report = (message: DrawReport, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(message, transfer);

/** Whatever goes wrong with one frame is the frame's own damage, but for a service that cannot be reached. */
function failed(id: number, error: unknown): void {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  report({ kind: error instanceof ServiceUnavailable ? 'unavailable' : 'damaged', id, why });
}

parentPort?.on('message', (order: DrawOrder) => {
  draw(order).then(
    (pixels) => report({ kind: 'drawn', id: order.id, pixels }, [pixels.buffer]),
    (error: unknown) => failed(order.id, error),
  );
});
setInterval(() => report({ kind: 'alive' }), ALIVE_MS).unref();
