// Runs operator commands in tests.

import { runTern } from '../../../packages/server/src/commands/runner/tern.ts'
import type { Environment } from '../../../packages/server/src/platform/runtime/settings.ts'
import type { TestApp } from '../test-app.ts'

/** Returns the settings with which commands reach a test's product. */
export const ternEnvironment = ({
  database,
  sandboxUrl,
  sandboxSecret,
  secret,
}: Pick<TestApp, 'database' | 'sandboxUrl' | 'sandboxSecret' | 'secret'>): Record<string, string> => ({
  DATA_DIR: '/nowhere',
  DATABASE_URL: database.url,
  SANDBOX_URL: sandboxUrl,
  SANDBOX_SECRET: sandboxSecret,
  TERN_SECRET: secret,
})

/** Runs `tern` in this process; returns its exit code and all output. */
export async function callTern(
  environment: Environment,
  ...words: readonly string[]
): Promise<{ code: number; text: string }> {
  const printed: string[] = []
  const print = (text: string) => printed.push(text)
  const code = await runTern({ environment, print, warn: print }, words)
  return { code, text: printed.join('\n') }
}
