// Schema of the operations database.
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['audit', 'events', 'images', 'mirror', 'status', 'webhooks'].map((subject) => `./src/storage/${subject}/schema.ts`),
  out: './migrations/operations',
});
