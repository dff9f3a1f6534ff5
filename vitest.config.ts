import { defineConfig } from 'vitest/config'

// Two kinds: `unit` needs nothing, `integration` gets real PostgreSQL (tools/test-server.ts).
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/{money,contract,providers,sandbox,web}/src/**/*.test.{ts,tsx}', 'tools/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['packages/{ledger,server}/src/**/*.test.ts', 'bench/**/*.test.ts'],
          globalSetup: ['tools/test-server.ts'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
})
