// Schema of the visitors' database; drizzle.operations.config.ts and drizzle.images.config.ts have those of the others.
import { defineConfig } from 'drizzle-kit';

const schema = [
  './src/storage/charges/d1-charges.ts',
  './src/storage/movies/movie-tables.ts',
  './src/storage/screenshots/d1-screenshots.ts',
  './src/storage/sharing/d1-client-states.ts',
  './src/storage/sharing/d1-links.ts',
  './src/storage/sharing/d1-sharing-sessions.ts',
  './src/storage/sharing/d1-video-shares.ts',
  './src/storage/events/d1-event-counts.ts',
];

export default defineConfig({ dialect: 'sqlite', schema, out: './migrations/main' });
