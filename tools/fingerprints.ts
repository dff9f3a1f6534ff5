// node tools/run.mjs tools/fingerprints.ts: regenerates packages/server/src/commands/migrate/fingerprints.json. Needed
// when a schema file changes a function, trigger, constraint or table of the money core.

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readFingerprints } from '../packages/server/src/commands/migrate/fingerprints.ts'
import { createTestDatabase } from '@tern/testkit/database'
import setUp from '@tern/testkit/database-server'

const file = fileURLToPath(new URL('../packages/server/src/commands/migrate/fingerprints.json', import.meta.url))

const stopServer = await setUp()
try {
  const database = await createTestDatabase()
  const client = await database.pool.connect()
  const fingerprints = await readFingerprints(client).finally(() => client.release(true))
  await database.drop()
  fs.writeFileSync(file, `${JSON.stringify(fingerprints, null, 2)}\n`)
  console.log(`${Object.keys(fingerprints).length} fingerprints are written.`)
} finally {
  await stopServer()
}
