import { expect, it } from 'vitest';
import { decodeXmlText, headerDocument, parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { archiveFiles, archiveTitles, xmlOfSample } from '../../support/real-files.ts';

const wrap = (fits: string, rest = '') => `<?xml version="1.0"?>\n<meta>\n<fits>\n${fits}\n</fits>\n${rest}</meta>\n`;
const fitsOf = (fits: string) => Object.fromEntries(parseXmlHeader(wrap(fits))!.fits);

it.each<[string, string, Record<string, string>]>([
  [
    'values trimmed and entities decoded',
    '<A> 1.5 </A><DATE-OBS>x</DATE-OBS><B>a &amp; b &lt;c&gt; &quot;&apos; &#65;&#x42; &nbsp; &#9999999;</B>',
    { A: '1.5', 'DATE-OBS': 'x', B: 'a & b <c> "\' AB &nbsp;' },
  ],
  ['empty or repeated ones left out', '<A></A><B> </B><C>1</C><C>1</C><D>1</D><D></D><E>1</E>', { E: '1' }],
  [
    'any letter case, without one that occurs in two cases',
    '<date-obs>x</date-obs><Naxis1>256</Naxis1><A>1</A><a>2</a>',
    { 'DATE-OBS': 'x', NAXIS1: '256' },
  ],
  [
    'attributes, even with tags in quotes',
    '<NAXIS1 comment="width > 0, see </NAXIS1>">3040</NAXIS1><B a=\'"\'>1</B>',
    { NAXIS1: '3040', B: '1' },
  ],
  ['comparison signs in the text', '<A>1 < 2 and 3 > 2</A><B>a<b</B><C>x</C>', { A: '1 < 2 and 3 > 2', B: 'a<b', C: 'x' }],
  ['elements that are not closed or closed by another name', '<A>1<B>2</B><C>3</D><E>4</E><F/>', { B: '2', E: '4' }],
])('the keywords of a header are read with %s', (_, fits, expected) => {
  expect(fitsOf(fits)).toEqual(expected);
});

it('the keywords of a header separates the keywords of the helioviewer element, which old files have among the FITS keywords', () => {
  const header = parseXmlHeader(
    wrap('<A>1</A><HV_ROTATION>0.5</HV_ROTATION><HV_X>old</HV_X>', '<helioviewer><HV_X>new</HV_X><HV_Y>1</HV_Y></helioviewer>'),
  )!;
  expect(Object.fromEntries(header.helioviewer)).toEqual({ HV_ROTATION: '0.5', HV_X: 'new', HV_Y: '1' });
  expect(header.fits.get('HV_X')).toBe('old');
  expect(header.fits.has('HV_Y')).toBe(false);
  expect(parseXmlHeader(wrap('<A>1</A>'))!.helioviewer.size).toBe(0);
});

const documentOf = (text: string) => headerDocument(parseXmlHeader(text)!);

it('the header document has the declaration and the meta element alone, and escapes only what would break a parser', () => {
  const meta = '<meta>\n<fits>\n<A>1</A>\n</fits>\n</meta>';
  expect(documentOf(`\u0000junk<?xml version="1.0" encoding = "UTF-8"?>\n${meta}\n\u0000\u0000`)).toBe(
    `<?xml version="1.0" encoding="utf-8"?>\n${meta}`,
  );
  expect(documentOf('<meta><fits><A>1 < < 2 > 1 & R&D &amp; &#10;\u0001\t\n</A></fits></meta>')).toBe(
    '<?xml version="1.0" encoding="utf-8"?>\n<meta><fits><A>1 &lt; &lt; 2 &gt; 1 &amp; R&amp;D &amp; &#10;\t\n</A></fits></meta>',
  );
  expect(documentOf('<meta><fits><A>1&#0;&#x1F;&#xFFFF;&#9;&#65;</A></fits></meta>')).toContain('<A>1&#9;&#65;</A>');
});

it.each(['', '<meta>', '<meta></meta>', '</meta><meta><fits>', '<metadata><fits></fits></metadata>', '<fits><A>1</A></fits>'])(
  '%j is no header',
  (text) => {
    expect(parseXmlHeader(text)).toBeNull();
  },
);

it('text that is not UTF-8 is read as Latin-1', () => {
  expect(decodeXmlText(new TextEncoder().encode('Å'))).toBe('Å');
  expect(decodeXmlText(Uint8Array.of(0x31, 0xc5, 0x31))).toBe('1Å1');
});

it.skipIf(!archiveFiles.length).each(archiveTitles)('the header of the real archive file %s is read whole', (name) => {
  const header = parseXmlHeader(xmlOfSample(name))!;
  expect(header.fits.get('NAXIS')).toBe('2');
  expect(header.fits.size).toBeGreaterThan(20);
  expect(header.fits.get('TELESCOP')).toMatch(/^(SOHO|SDO|PROBA2|SOLO|IRIS|RHESSI)/);
  expect([...header.helioviewer.keys()].every((key) => key.startsWith('HV_'))).toBe(true);
  expect(header.helioviewer.has('HV_COMMENT')).toBe(!name.includes('RHESSI'));
});
