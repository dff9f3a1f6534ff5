import { afterAll, expect, test, vi } from 'vitest'
import { connect } from '../../../platform/database/db.ts'
import { createTestDatabase } from '@tern/testkit/database'
import { createIdentity } from '../identity.ts'
import { createTestIdentity } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await createTestIdentity(database)
afterAll(async () => {
  await tern.close()
  await database.drop()
})

const loadSessionIds = async (): Promise<string[]> => {
  const { rows } = await database.pool.query<{ id: string }>('select id from session order by created_at')
  return rows.map(({ id }) => id)
}

test('uncached sessions called concurrently are read by one query; a revoked one is refused', async () => {
  for (const name of ['anna', 'bert', 'carl', 'dora']) await tern.signUp(name)
  const [revokedId, ...liveSessionIds] = await loadSessionIds()
  await database.pool.query(`update session set revoked_at = now(), revoked_reason = 'test' where id = $1`, [revokedId])
  const pool = connect(database.url)
  const otherIdentity = await createIdentity({ ...tern.options, pool })
  const query = vi.spyOn(pool, 'query')
  const answers = await Promise.all(
    [revokedId ?? '', ...liveSessionIds, ...liveSessionIds].map((id) => otherIdentity.isLive(id)),
  )
  expect(answers).toEqual([false, true, true, true, true, true, true])
  expect(query).toHaveBeenCalledTimes(1)
  await otherIdentity.close()
  await pool.end()
})
