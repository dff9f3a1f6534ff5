// For tests: the sandbox on a free port, in a temporary folder.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { startSandbox } from '@tern/sandbox/sandbox'
import { temporaryFolder } from './temporary-folder.ts'

export type TestSandbox = Awaited<ReturnType<typeof startTestSandbox>>

/** Starts a sandbox with constant prices, which sends its webhooks to `webhookUrl`. The caller stops it. */
export async function startTestSandbox(
  webhookUrl = 'http://127.0.0.1:9/nobody',
  retryDelaysMs?: readonly number[],
  oidcRedirect?: string,
  secret = randomBytes(24).toString('base64url'),
) {
  const dataDir = fs.mkdtempSync(path.join(temporaryFolder(), 'tern-sandbox-'))
  const sandbox = await startSandbox({
    port: 0,
    host: '127.0.0.1',
    dataDir,
    secret,
    webhookUrl,
    market: 'still',
    ...(retryDelaysMs ? { retryDelaysMs } : {}),
    ...(oidcRedirect === undefined ? {} : { oidcRedirect }),
  })
  return {
    url: sandbox.url,
    secret,
    async stop(): Promise<void> {
      await sandbox.stop()
      fs.rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
