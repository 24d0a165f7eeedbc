// Schema of the main database; drizzle.images.config.ts has that of the image databases.
import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'sqlite', schema: './src/storage/**/schema.ts', out: './migrations/main' });
