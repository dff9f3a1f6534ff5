// For tests: further processes of the application, on the same database and sandbox as the test's process.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { choosePort, sendRaw, type RawAnswer, type TestApp, type TestPerson } from './app.ts'

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))
const compileCache = fileURLToPath(new URL('../../../.cache/node', import.meta.url))
// Only ends processes that hang: on a busy machine, a start takes long.
const readyTimeoutMs = 600_000

export type TestNode = Awaited<ReturnType<typeof startNode>>

export interface NodeOptions {
  readonly role?: 'app' | 'worker'
  readonly environment?: Readonly<Record<string, string>>
  /** File descriptor to which the process logs. */
  readonly output?: number
}

/** Starts another process of the application and waits until it is ready. A worker's address is its admin port. */
export async function startNode(world: TestApp, { role = 'app', environment = {}, output }: NodeOptions = {}) {
  const port = await choosePort()
  const child = spawn(process.execPath, [main, role, '--without-demo'], {
    env: {
      PATH: process.env.PATH,
      // The cache of compiled code halves the duration of a start.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compileCache,
      DATABASE_URL: world.database.applicationUrl,
      [role === 'app' ? 'PORT' : 'ADMIN_PORT']: String(port),
      PUBLIC_URL: world.url,
      SANDBOX_URL: world.sandboxUrl,
      SANDBOX_SECRET: world.sandboxSecret,
      TERN_SECRET: world.secret,
      LOG_LEVEL: 'silent',
      ...environment,
    },
    stdio: ['ignore', output ?? 'ignore', output ?? 'inherit'],
  })
  const url = `http://localhost:${port}`
  const deadline = performance.now() + readyTimeoutMs
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`the process at ${url} did not become ready`)
    }
    await delay(50)
  }
  return {
    url,
    child,
    async close(): Promise<void> {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** Calls a process as a person. Calls with a body have an idempotency key, random unless given. */
export function callNode(
  url: string,
  { token }: Pick<TestPerson, 'token'>,
  call: { readonly method: string; readonly path: string; readonly body?: object; readonly key?: string },
): Promise<RawAnswer> {
  const { method, path, body, key = randomUUID() } = call
  return sendRaw(url, method, path, { token, body, headers: body ? { 'idempotency-key': key } : {} })
}
