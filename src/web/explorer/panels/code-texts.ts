// Programs that get what the page shows, for the clients that this service works with.
import { dayAround, serversOf } from '../../../domain/explorer/jhelioviewer.ts';
import { printVisibleLayers } from '../../../domain/explorer/print-address.ts';
import type { View } from '../../../domain/explorer/view.ts';
import { formatIso } from '../../../domain/time.ts';
import type { ImageRecord } from '../api/image-record.ts';
import type { Camera, Size } from '../picture/geometry.ts';

export interface CodeView {
  readonly view: View & { readonly atMs: number };
  readonly image: ImageRecord | null;
  readonly camera: Camera;
  readonly size: Size;
  readonly origin: string;
}

const number = (value: number) => String(Number(value.toFixed(3)));

function dateArguments(atMs: number): string {
  const date = new Date(atMs);
  return [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ].join(', ');
}

function hvpy({ view, camera, size, origin }: CodeView): string {
  return `from datetime import datetime
import hvpy
from hvpy.config import set_api_url

set_api_url("${origin}/v2/")
hvpy.save_file(
    hvpy.takeScreenshot(
        date=datetime(${dateArguments(view.atMs)}),
        layers="${printVisibleLayers(view.layers)}",
        imageScale=${Number(camera.scale.toFixed(6))},
        x0=${number(camera.x)},
        y0=${number(camera.y)},
        width=${Math.round(size.width)},
        height=${Math.round(size.height)},
        display=True,
    ),
    "sun.png",
    overwrite=True,
)
`;
}

function sunpy({ image, origin }: CodeView): string {
  return `from urllib.request import urlretrieve
import sunpy.map

# The JPEG 2000 file with its header; sunpy needs glymur or imagecodecs to read it.
path, _ = urlretrieve("${origin}/v2/getJP2Image/?id=${image?.id ?? 0}", "sun.jp2")
sun = sunpy.map.Map(path)
sun.peek()
`;
}

function curl({ view, image, camera, size, origin }: CodeView): string {
  const date = formatIso(view.atMs);
  const area = `imageScale=${Number(camera.scale.toFixed(6))}&x0=${number(camera.x)}&y0=${number(camera.y)}&width=${Math.round(size.width)}&height=${Math.round(size.height)}`;
  return `# The picture of this view.
curl -g -o sun.png "${origin}/v2/takeScreenshot/?date=${date}&layers=${printVisibleLayers(view.layers)}&${area}${view.hasGrid ? '&grid=true' : ''}&watermark=false&display=true"

# The JPEG 2000 file and the FITS header of its image.
curl -OJ "${origin}/v2/getJP2Image/?id=${image?.id ?? 0}"
curl "${origin}/v2/getJP2Header/?id=${image?.id ?? 0}"
`;
}

function jhelioviewer({ view, origin }: CodeView): string {
  const layers = view.layers.filter(({ isVisible }) => isVisible);
  const [from, to] = dayAround(view.atMs);
  return `# This service in Settings/sources.json in the folder of JHelioviewer, which reads it when it starts:
# ${serversOf(origin)}

# The JPX of a day around this view, which it opens by JPIP or as a file:
${layers.map(({ sourceId }) => `curl -OJ "${origin}/v2/getJPX/?sourceId=${sourceId}&startTime=${from}&endTime=${to}&linked=true"`).join('\n')}
`;
}

export const CODE: readonly { readonly name: string; readonly text: (view: CodeView) => string }[] = [
  { name: 'hvpy', text: hvpy },
  { name: 'SunPy', text: sunpy },
  { name: 'curl', text: curl },
  { name: 'JHelioviewer', text: jhelioviewer },
];
