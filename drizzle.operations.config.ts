// Schema of the operations database.
import { defineConfig } from 'drizzle-kit';

const schema = [
  './src/operator/d1-audit-log.ts',
  './src/events/d1-events-rhessi.ts',
  './src/archive/image-index/d1-upload-journal.ts',
  './src/archive/image-index/d1-withdrawals.ts',
  './src/operator/mirror/d1-mirror-state.ts',
  './src/operator/status/d1-status-register.ts',
  './src/operator/webhooks/d1-webhooks.ts',
];

export default defineConfig({ dialect: 'sqlite', schema, out: './migrations/operations' });
