import { expect, test } from 'vitest'
import { drawSchema } from '../../../../../tools/docs/schema-diagram.ts'
import { createTestDatabase } from '@tern/testkit/database'

test('docs/schema.md shows the current schema', async () => {
  const database = await createTestDatabase()
  const diagram = await drawSchema(database.pool)
  await database.drop()
  await expect(diagram).toMatchFileSnapshot('../../../../../docs/schema.md')
})
