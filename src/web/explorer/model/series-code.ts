// Programs that repeat a measurement of the explorer.
import type { FigureName } from '../../../domain/measurement/value.ts';
import type { Series } from './series.ts';

interface SeriesAddress {
  readonly series: Series;
  readonly address: (format: string) => string;
}

const endsOf = (name: FigureName) => `curve["${name}Lower"], curve["${name}Upper"]`;

function curveScript(names: readonly FigureName[], address: string): string {
  return `import matplotlib.pyplot as plt
import pandas

curve = pandas.read_csv("${address}", parse_dates=["date"])
figure, panels = plt.subplots(${names.length}, sharex=True, squeeze=False)
${names
  .map(
    (name, i) => `axes = panels[${i}, 0]
axes.fill_between(curve["date"], ${endsOf(name)}, alpha=0.3)
axes.plot(curve["date"], curve["${name}"])
axes.set_ylabel(f'${name} ({${name === 'area' ? '"arcsec2"' : 'curve["unit"].dropna().iloc[0]'}})')
`,
  )
  .join('')}plt.show()
`;
}

const mapScript = (address: string) => `import io
from urllib.request import urlopen

import matplotlib.pyplot as plt
import numpy
from astropy.io import fits
from astropy.time import Time

with fits.open(io.BytesIO(urlopen("${address}").read())) as file:
    values, unit = file[0].data, file[0].header["BUNIT"]  # (images, positions)
    times = Time(list(file["IMAGES"].data["date"])).datetime
    offsets = numpy.asarray(file["PATH"].data["offset"])
plt.pcolormesh(times, offsets, values.T, shading="nearest")
plt.ylabel("Distance along the path (arcsec)")
plt.colorbar(label=unit)
plt.show()
`;

export function seriesCode({ series, address }: SeriesAddress): readonly { readonly name: string; readonly text: string }[] {
  const curl = (name: string, formats: readonly string[]) =>
    formats.map((format) => `curl -g -o ${name}.${format} "${address(format)}"\n`).join('');
  const [shell, python] =
    series.operation === 'getLightCurve'
      ? [curl('curve', ['csv', 'fits']), curveScript(series.statistics, address('csv'))]
      : [curl('map', ['fits', 'png']), mapScript(address('fits'))];
  return [
    { name: 'curl', text: shell },
    { name: 'Python', text: python },
  ];
}
