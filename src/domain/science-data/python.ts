// A Python script that downloads science data with Fido of SunPy.
import { formatIso } from '../time.ts';
import { commentLines, headLines, type LayerSearch, type ScriptRequest } from './script.ts';

/** A Python string literal: JSON strings of ASCII characters are Python literals with the same value. */
function literal(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function conditions(search: LayerSearch): string {
  const { source, instrument, detector, wavelengthAngstrom, observable, level, soarProduct } = search;
  const parts = [
    source === undefined ? null : `a.Source(${literal(source)})`,
    `a.Instrument(${literal(instrument)})`,
    detector === undefined ? null : `a.Detector(${literal(detector)})`,
    wavelengthAngstrom === undefined ? null : `a.Wavelength(${wavelengthAngstrom} * u.angstrom)`,
    observable === undefined ? null : `a.Physobs(${literal(observable)})`,
    level === undefined ? null : `a.Level(${level})`,
    soarProduct === undefined ? null : `a.soar.Product(${literal(soarProduct)})`,
  ];
  return parts.filter((part) => part !== null).join(' & ');
}

function entry(search: LayerSearch): string {
  const note = search.note === undefined ? '' : `    # ${search.note}\n`;
  return `${note}    ${literal(search.label)}: ${conditions(search)},\n`;
}

const MAIN = `

def main():
    for layer, conditions in SEARCHES.items():
        search = conditions if CADENCE is None else conditions & a.Sample(CADENCE)
        found = Fido.search(TIME, search)
        print(f"{layer}: {found.file_num} files")
        if found.file_num > 0:
            Fido.fetch(found, path=str(FOLDER / layer.replace(" ", "_") / "{file}"))


if __name__ == "__main__":
    main()
`;

/** Only archives with data in a fixed cadence, such as the VSO, know samples. */
const CADENCE =
  '# Interval between files, for example 5 * u.minute for one in five minutes; None downloads all.\nCADENCE = None\n';

/** A script for Python 3.9 or later with SunPy 4 or later. */
export function pythonScript(request: ScriptRequest): string {
  const { data, startMs, endMs } = request;
  const usesSoar = data.searches.some(({ soarProduct }) => soarProduct !== undefined);
  const packages = `"sunpy[net]"${usesSoar ? ' sunpy-soar' : ''}`;
  const lines = [...headLines(request), '', `Needs Python 3 and SunPy: python3 -m pip install ${packages}`];
  const head = commentLines(lines, '#');
  const times = [startMs, endMs].map((ms) => literal(formatIso(ms).slice(0, -1))).join(', ');
  const searches = `SEARCHES = {\n${data.searches.map(entry).join('')}}\n`;
  const imports = [
    'from pathlib import Path',
    '',
    'import astropy.units as u',
    ...(usesSoar ? ['import sunpy_soar  # registers the Solar Orbiter Archive'] : []),
    'from sunpy.net import Fido',
    'from sunpy.net import attrs as a',
  ];
  const settings = `TIME = a.Time(${times})\nFOLDER = Path("science-data")\n${CADENCE}`;
  return `#!/usr/bin/env python3\n${head}\n${imports.join('\n')}\n\n${settings}\n${searches}${MAIN}`;
}
