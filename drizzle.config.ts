// Schema of the visitors' database; drizzle.operations.config.ts and drizzle.images.config.ts have those of the others.
import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'sqlite', schema: './src/storage/main-tables.ts', out: './migrations/main' });
