import { afterAll } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** Creates an empty database for a whole test file, and drops it after the last test. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  afterAll(() => database.drop())
  return database
}
