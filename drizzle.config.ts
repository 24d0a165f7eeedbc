// Schema of the visitors' database; drizzle.operations.config.ts and drizzle.images.config.ts have those of the others.
import { defineConfig } from 'drizzle-kit';

const schema = [
  './src/platform/admission/budgets.ts',
  './src/movies/movie-tables.ts',
  './src/sharing/d1-screenshots.ts',
  './src/sharing/d1-client-states.ts',
  './src/sharing/d1-links.ts',
  './src/sharing/videos/d1-sharing-sessions.ts',
  './src/sharing/videos/d1-video-shares.ts',
  './src/events/d1-event-counts.ts',
];

export default defineConfig({ dialect: 'sqlite', schema, out: './migrations/main' });
