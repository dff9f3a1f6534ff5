import { afterAll } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'

/** Starts the application for a whole test file, and closes it after the last test. */
export async function openTestApp(options: Parameters<typeof startTestApp>[0] = {}): Promise<TestApp> {
  const world = await startTestApp(options)
  afterAll(() => world.close())
  return world
}
