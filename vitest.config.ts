import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const special = {
  rules: 'tools/rules/house-rules.test.ts',
  licences: 'tools/licences/licences.test.ts',
  start: 'tools/product/start.test.ts',
  crash: 'tools/crash.test.ts',
  faults: 'simulation/faults.test.ts',
  flood: 'tools/login-flood.test.ts',
  startFaults: 'tools/product/start-faults.test.ts',
}

// Timeouts are for hangs only, at ten times or more of the usual time: a busy machine must not fail a passing test.
const patient = { poll: { timeout: 120_000 } }

// Five kinds: `rules` reads the project's own files, `unit` needs no services, `integration` gets a real PostgreSQL
// (packages/testkit/src/database-server.ts), `product` starts the whole product and kills parts of it, `start` measures
// its start.
export default defineConfig({
  test: {
    // More than cores, since tests wait for databases, processes and silent providers.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        test: {
          name: 'rules',
          include: [special.rules, special.licences, 'tools/rules/folder-rules.test.ts'],
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'unit',
          include: [
            'packages/{money,messages,drawing,contract,providers,sandbox,testkit,transparency,witness,web,desk}/**/*.test.{ts,tsx}',
            '{deploy,tools,e2e,simulation/long,simulation/day}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', 'tools/rules/folder-rules.test.ts', ...Object.values(special)],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: patient,
        },
      },
      {
        test: {
          name: 'integration',
          include: [
            'packages/{api-client,ledger,server}/**/*.test.ts',
            'bench/**/*.test.ts',
            'simulation/{oracle,failover}/*.test.ts',
          ],
          globalSetup: ['packages/testkit/src/database-server.ts'],
          // Files of a worker share their imports, which saves a second of CPU per file.
          isolate: false,
          // Room for young objects: fewer collections, 3 % less CPU.
          execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64'],
          setupFiles: ['tools/rules/watch-secrets.ts', 'tools/rules/watch-lock-order.ts', 'tools/cheap-passwords.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: patient,
        },
      },
      ...Object.entries({
        product: [special.crash, special.faults, special.flood, special.startFaults],
        start: [special.start],
      }).map(([name, include]) => ({
        test: {
          name,
          include,
          setupFiles: ['tools/rules/watch-secrets.ts'],
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 600_000,
          expect: patient,
        },
      })),
    ],
  },
})
