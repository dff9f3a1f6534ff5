// Playwright's global setup: starts a new product in a child process that exits with this one.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TestProductAddress } from '@tern/testkit/product'

export default async function startJourneyServer(): Promise<() => Promise<void>> {
  const program = fileURLToPath(new URL('../packages/testkit/src/product.ts', import.meta.url))
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const exit = once(child, 'exit')
  const address = await new Promise<TestProductAddress>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error('The product for the journeys did not start.')))
  })
  Object.assign(process.env, address)
  return async () => {
    child.disconnect()
    await exit
  }
}
