// Loads all modules of the named programs into Node's compile cache, then exits.

import './exit-with-parent.ts'

const server = '../../packages/server/src'
const app = [`${server}/main.ts`, `${server}/app.ts`, `${server}/commands/demo/demo.ts`]
const worker = [`${server}/main.ts`, `${server}/worker.ts`]
const sandbox = ['../../packages/sandbox/src/main.ts']
/** Modules that the app's worker threads load on their first task. */
const threads = [
  `${server}/features/identity/users/password-worker.ts`,
  `${server}/features/wallets/receipt/receipt-worker.ts`,
  `${server}/features/kyc/documents/clean-worker.ts`,
  `${server}/features/privacy/export/export-worker.ts`,
]
/** Adapters that are loaded only when configured. */
const adapters = ['../../packages/providers/src/mail/smtp.ts']

const programs: Readonly<Record<string, readonly string[]>> = {
  supervisor: ['./start.ts'],
  app,
  worker,
  sandbox,
  product: [...app, ...worker, ...sandbox, ...threads, ...adapters],
}

for (const name of process.argv.slice(2)) {
  for (const module of programs[name] ?? []) await import(module)
}
process.exit()
