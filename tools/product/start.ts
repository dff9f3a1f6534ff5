// `npm start`: runs the whole product until Ctrl-C.

import path from 'node:path'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { compilePrograms } from './compiled.ts'
import { isMain } from '../../packages/server/src/platform/runtime/is-main.ts'
import { StartError } from './data-folder.ts'
import { type Product, startProduct } from './supervisor.ts'
import { buildWeb } from './web-build.ts'

// npm, shell and terminal may each forward the same Ctrl-C.
const duplicateSignalMs = 500

let product: Product | undefined
let firstSignalAt: number | undefined
const startController = new AbortController()

function onSignal(): void {
  if (firstSignalAt === undefined) {
    firstSignalAt = Date.now()
    console.log('Stopping …')
    startController.abort(new StartError('Stopped before it was ready.'))
    void product?.stop().then(() => process.exit(0))
  } else if (Date.now() - firstSignalAt > duplicateSignalMs) {
    void product?.stop('immediate').then(() => process.exit(1))
  }
}

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal, onSignal)
  try {
    product = await startProduct({
      environment: process.env,
      log: console.log,
      prepare: () => prepareFiles(console.log),
      signal: startController.signal,
    })
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error)
    process.exit(1)
  }
  announce(product)
}

/** Compiles the programs during the web build, which does not use all processors. */
async function prepareFiles(log: (sentence: string) => void): Promise<void> {
  await Promise.all([compilePrograms(), buildWeb(log)])
}

function announce({ url, sandboxUrl, adminUrl, config }: Product): void {
  const lines = [['Tern is ready', url]]
  if (sandboxUrl !== undefined) {
    for (const { email, password, currency } of config.stripe ? [] : demoAccounts) {
      lines.push([`Demo account (${currency})`, `${email}  password: ${password}`])
    }
    lines.push(['Test cards, mailbox', sandboxUrl], ['Logs', path.join(config.dataDir, 'logs')])
  }
  if (adminUrl !== undefined) lines.push(["Operators' desk", `${adminUrl}/desk`])
  if (adminUrl !== undefined) lines.push(['API docs, metrics', `${adminUrl}/api/docs, ${adminUrl}/metrics`])
  lines.push(['To end it', 'Ctrl-C'])
  console.log(`\n${lines.map(([name = '', value]) => `  ${name.padEnd(20)}  ${value}`).join('\n')}\n`)
}

// compile.ts imports this module only to compile it.
if (isMain(import.meta)) await main()
