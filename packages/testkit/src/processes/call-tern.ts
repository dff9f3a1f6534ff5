// For tests: operator commands.

import { runTern } from '@tern/server/commands/runner/tern'
import type { Environment } from '@tern/server/platform/runtime/settings'
import type { TestApp } from '../app.ts'

/** Returns the environment with which commands find the product of a test. */
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

/** Runs the `tern` command in this process; returns its exit code and output. */
export async function callTern(
  environment: Environment,
  ...words: readonly string[]
): Promise<{ code: number; text: string }> {
  const lines: string[] = []
  const print = (text: string) => lines.push(text)
  const code = await runTern({ environment, print, warn: print }, words)
  return { code, text: lines.join('\n') }
}
