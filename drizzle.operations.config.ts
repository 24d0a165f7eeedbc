// Schema of the operations database.
import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'sqlite', schema: './src/storage/operations-tables.ts', out: './migrations/operations' });
