// The file layout in a sidecar, which JPX and JPIP read without the packet index.
import { expect, it } from 'vitest';
import { Jp2Error } from '../../../src/jp2/errors.ts';
import { decodeFileLayout, decodeSidecar, encodeSidecar, indexJp2 } from '../../../src/jp2/sidecar.ts';
import { sampleFile } from '../../support/sample-files.ts';

const jp2 = await sampleFile({ sourceId: 10, timeMs: Date.UTC(2024, 4, 10, 12), size: 128 });

it('the layout of a file is read from its sidecar without the packet index', () => {
  const sidecar = encodeSidecar(indexJp2(jp2));
  const { codestreamOffset, codestreamLength, xmlOffset, xmlLength, header, fileLength, rsiz } = decodeFileLayout(sidecar);
  const file = Buffer.from(jp2);
  expect(fileLength).toBe(jp2.length);
  expect(file.readUInt32BE(codestreamOffset)).toBe(0xff4fff51);
  expect(file.readUInt16BE(codestreamOffset + codestreamLength - 2)).toBe(0xffd9);
  expect(rsiz).toBe(file.readUInt16BE(codestreamOffset + 6));
  expect(file.toString('latin1', xmlOffset, xmlOffset + xmlLength)).toMatch(/<meta>[\s\S]*<\/meta>/);
  const at = file.indexOf('jp2h') - 4;
  expect(Buffer.from(header ?? [])).toEqual(file.subarray(at, at + file.readUInt32BE(at)));
  expect(decodeSidecar(sidecar).header).toEqual(header);
});

it('a sidecar that is truncated inside the layout is refused', () => {
  const sidecar = encodeSidecar(indexJp2(jp2));
  for (const length of [0, 4, 8, 40, 80]) {
    expect(() => decodeFileLayout(sidecar.subarray(0, length))).toThrow(Jp2Error);
  }
});
