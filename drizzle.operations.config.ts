// Schema of the operations database.
import { defineConfig } from 'drizzle-kit';

const schema = [
  './src/storage/audit/d1-audit-log.ts',
  './src/storage/events/d1-events-rhessi.ts',
  './src/storage/images/d1-upload-journal.ts',
  './src/storage/images/d1-withdrawals.ts',
  './src/storage/mirror/d1-mirror-state.ts',
  './src/storage/status/d1-status-register.ts',
  './src/storage/webhooks/d1-webhooks.ts',
];

export default defineConfig({ dialect: 'sqlite', schema, out: './migrations/operations' });
