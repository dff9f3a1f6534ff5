import { expect, test } from 'vitest'
import { describeRows } from '../../../../../tools/row-types.ts'
import { createTestDatabase } from '@tern/testkit/database'

test('row-types.ts of each feature has the current columns of its tables', async () => {
  const database = await createTestDatabase()
  const files = await describeRows(database.pool)
  await database.drop()
  for (const { path, text } of files) {
    await expect(
      text,
      `${path} differs from the schema; run: npx vitest run --project integration schema-diagram row-types --update`,
    ).toMatchFileSnapshot(`../../../../../${path}`)
  }
})
