// Response schemas of takeScreenshot and postScreenshot.
import { z } from '@hono/zod-openapi';

export const screenshotId = () =>
  z
    .object({ id: z.int().min(1).describe('Id of the picture, for downloadScreenshot.') })
    .openapi('ScreenshotId', { description: 'A stored screenshot.' });
