// Programs that request the shown picture, one for each supported client.
import { pathOf } from '../../../clients/typescript/core.ts';
import { drawnLayers, printEventLayers } from '../../picture/address/view.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { formatIso } from '../../sun/time.ts';
import { placeOf, screenshotPath } from '../api/pictures.ts';
import { dayAround, serversOf } from '../model/jhelioviewer.ts';
import { type Camera, onSun, type Viewport } from '../picture/geometry.ts';
import type { Shown } from '../store/state.ts';

export interface CodeView extends Pick<Shown, 'view' | 'images'>, Viewport {
  readonly origin: string;
  /** Camera of the screen plane of its projection. `camera` is that of the plane. */
  readonly shownCamera: Camera;
}

const idOf = ({ images }: CodeView): number => images.find((image) => image !== null)?.id ?? 0;

const number = (value: number) => String(Number(value.toFixed(3)));

/** `2024, 5, 10, 12, 0, 0` */
const dateArguments = (atMs: number) => formatIso(atMs).match(/\d+/g)!.map(Number).join(', ');

const pictureAddress = (code: CodeView) =>
  `${code.origin}${screenshotPath(code, { ...code, camera: code.shownCamera })}&watermark=false`;

const eventPoints = ({ view, origin }: CodeView): string => `
# The events of the view. Their places are those that an observer 1 au from the Sun on the line to the Earth sees.
with urlopen("${origin}/v2/events/?startTime=${formatIso(view.atMs)}&format=flat") as response:
    events = json.load(response)
shown = [event for event in events if event["pin"] in ${JSON.stringify(view.events.map(({ pin }) => pin))}]
earth = get_earth("${formatIso(view.atMs).slice(0, -1)}")
arcsec = u.arcsec * (u.au / earth.radius).to_value(u.one)
places = SkyCoord(
    [event["hv_hpc_x"] for event in shown] * arcsec,
    [event["hv_hpc_y"] for event in shown] * arcsec,
    frame=Helioprojective(observer=earth, obstime=earth.obstime),
)
axes.plot_coord(places, "o", fillstyle="none", color="white")
`;

/** Half of the time around the view whose science data the scripts download. */
const SCIENCE_MS = 30 * MINUTE_MS;

export const CODE: Readonly<Record<string, (view: CodeView) => string>> = {
  hvpy(code) {
    const { view, origin } = code;
    const options = [
      ...Object.entries(placeOf(code)).map(([name, value]) => `${name}=${value},`),
      'display=True,',
      ...(view.events.length > 0 ? [`events="${printEventLayers(view.events)}",`, 'eventLabels=True,'] : []),
      ...(view.overlays.scale ? ['scale=True,', 'scaleType="earth",'] : []),
    ];
    const { layers, ...operations } = drawnLayers(view.layers);
    const lacking = [
      ...(view.projection.kind === 'plane' ? [] : ['projection']),
      ...(view.overlays.grid ? ['grid'] : []),
      ...(view.overlays.bodies ? ['planets'] : []),
      ...Object.keys(operations),
    ];
    if (lacking.length > 0) {
      return `# hvpy has no parameters for: ${lacking.join(', ')}. The address of the picture has all.
from urllib.request import urlretrieve

urlretrieve("${pictureAddress(code)}", "sun.png")
`;
    }
    return `from datetime import datetime
import hvpy
from hvpy.config import set_api_url

set_api_url("${origin}/v2/")
hvpy.save_file(
    hvpy.takeScreenshot(
        date=datetime(${dateArguments(view.atMs)}),
        layers="${layers}",
${options.map((line) => `        ${line}\n`).join('')}    ),
    "sun.png",
    overwrite=True,
)
`;
  },
  SunPy(code) {
    const { view, origin } = code;
    const hasEvents = view.events.length > 0;
    const imports = [
      ...(hasEvents ? ['import json'] : []),
      `from urllib.request import ${hasEvents ? 'urlopen, ' : ''}urlretrieve`,
      '',
      ...(hasEvents || view.overlays.grid ? ['import astropy.units as u'] : []),
      'import matplotlib.pyplot as plt',
      'import sunpy.map',
      ...(hasEvents
        ? ['from astropy.coordinates import SkyCoord', 'from sunpy.coordinates import Helioprojective, get_earth']
        : []),
    ];
    return `${imports.join('\n')}

# The JPEG 2000 file with its header; sunpy needs glymur or imagecodecs to read it.
path, _ = urlretrieve("${origin}/v2/getJP2Image/?id=${idOf(code)}", "sun.jp2")
sun = sunpy.map.Map(path)
axes = plt.subplot(projection=sun)
sun.plot(axes=axes)
${view.overlays.grid ? 'sun.draw_grid(axes=axes, grid_spacing=15 * u.deg)\n' : ''}${hasEvents ? eventPoints(code) : ''}plt.show()
`;
  },
  curl(code) {
    const { origin } = code;
    const id = idOf(code);
    return `# The picture of this view.
curl -g -o sun.png "${pictureAddress(code)}"

# The JPEG 2000 file and the FITS header of its image.
curl -OJ "${origin}/v2/getJP2Image/?id=${id}"
curl "${origin}/v2/getJP2Header/?id=${id}"
`;
  },
  JHelioviewer({ view, origin }) {
    const layers = view.layers.filter(({ isVisible }) => isVisible);
    const [from, to] = dayAround(view.atMs);
    return `# This service in Settings/sources.json in the folder of JHelioviewer, which reads it when it starts:
# ${serversOf(origin)}

# The JPX of a day around this view, which it opens by JPIP or as a file:
${layers.map(({ sourceId }) => `curl -OJ "${origin}/v2/getJPX/?sourceId=${sourceId}&startTime=${from}&endTime=${to}&linked=true"`).join('\n')}
`;
  },
  'Science data'({ view, origin, camera, size }) {
    const sourceIds = view.layers.filter(({ isVisible }) => isVisible).map(({ sourceId }) => sourceId);
    const [from, to] = [onSun(camera, size, { x: 0, y: 0 }), onSun(camera, size, { x: size.width, y: size.height })];
    const query = {
      sourceIds: `[${sourceIds.join()}]`,
      startDate: formatIso(view.atMs - SCIENCE_MS),
      endDate: formatIso(view.atMs + SCIENCE_MS),
      ...{ x1: number(from.x), y1: number(from.y), x2: number(to.x), y2: number(to.y) },
    };
    const script = (lang: 'sunpy' | 'sswidl') => `curl -g -OJ "${origin}${pathOf('getSciDataScript', { ...query, lang })}"`;
    return `# Scripts that download the calibrated data of this hour and area from the archives of the instruments.
# Python, with SunPy:
${script('sunpy')}

# IDL, with SolarSoft:
${script('sswidl')}
`;
  },
};
