// Schema of the image databases.
import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'sqlite', schema: './src/storage/images/image-tables.ts', out: './migrations/images' });
