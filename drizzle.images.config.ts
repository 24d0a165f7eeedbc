// Schema of the image databases.
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/archive/image-index/image-tables.ts',
  out: './migrations/images',
});
