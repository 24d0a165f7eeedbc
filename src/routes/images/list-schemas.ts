// Answers of the operations that list images.
import { z } from '@hono/zod-openapi';

const listedImage = () =>
  z
    .object({
      id: z.int().min(1).describe('Id of the image, for all operations that take one.'),
      date: z.string().describe('Observation time, ISO 8601 with Z and all decimals that the archive has.'),
      name: z.string().describe('File name.'),
      size: z.int().min(0).describe('Bytes of the JPEG 2000 file.'),
      sha256: z.string().describe('SHA-256 of the file, in hexadecimal.'),
      jp2: z.string().describe('Address of the file.'),
      header: z.string().describe('Address of its header.'),
      preview: z.string().describe('Address of a small picture.'),
    })
    .openapi('ListedImage');

/** listImages. */
export const listedImages = () =>
  z
    .object({
      images: z.array(listedImage()),
      next: z.string().nullable().describe('Date of the last image where there are more, for `after`; null at the end.'),
    })
    .openapi('ImageList');

const heldFile = () =>
  z
    .object({
      sourceId: z.int().min(0),
      date: z.string().describe('Observation time, ISO 8601 with Z and all decimals that the archive has.'),
      name: z.string().describe('File name, by which archives are compared.'),
      size: z.int().min(0).describe('Bytes of the file.'),
      sha256: z.string().describe('SHA-256 of the file, in hexadecimal.'),
    })
    .openapi('HeldFile');

/** getHoldings. */
export const holdings = () =>
  z
    .object({
      files: z.array(heldFile()),
      next: z
        .string()
        .nullable()
        .describe('Source and date of the last file where there are more, for `after`; null at the end.'),
      count: z.int().min(0).describe('Files of this list.'),
      bytes: z.int().min(0).describe('Their bytes.'),
    })
    .openapi('Holdings');
