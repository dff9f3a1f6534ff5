import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../packages/server/src/platform/database/embedded-postgres.ts'

export interface Server {
  readonly url: string
  remove(): Promise<void>
}

/** Returns the PostgreSQL server of `DATABASE_URL`, or starts a bundled one that `remove` deletes. */
export async function findServer(): Promise<Server> {
  const externalUrl = process.env.DATABASE_URL
  if (externalUrl !== undefined) return { url: externalUrl, remove: async () => {} }
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-bench-'))
  fs.chmodSync(dataDir, 0o755)
  const { url } = await startEmbeddedPostgres({ dataDir })
  return {
    url,
    async remove() {
      await removeEmbeddedPostgres(dataDir)
      fs.rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
