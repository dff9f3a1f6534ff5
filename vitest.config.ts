import { defineConfig } from 'vitest/config'

// Four kinds: `rules` reads the project's own files, `unit` needs nothing, `integration` gets a real PostgreSQL
// (tools/test-server.ts), `crash` starts the whole product and kills parts of it.
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'rules', include: ['tools/house-rules.test.ts'] } },
      {
        test: {
          name: 'unit',
          include: ['packages/{money,contract,providers,sandbox,web}/**/*.test.{ts,tsx}', 'tools/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'tools/house-rules.test.ts', 'tools/crash.test.ts'],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['packages/{ledger,server}/**/*.test.ts', 'bench/**/*.test.ts'],
          globalSetup: ['tools/test-server.ts'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      { test: { name: 'crash', include: ['tools/crash.test.ts'], testTimeout: 240_000, hookTimeout: 120_000 } },
    ],
  },
})
