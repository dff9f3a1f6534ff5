import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isFullRun } from '@tern/testkit/length'
import { expect, test } from 'vitest'

const program = fileURLToPath(import.meta.resolve('@tern/testkit/books/write-many'))
const count = isFullRun ? 200_000 : 20_000

test(`files of ${String(count)} movements are written in less memory than one of them takes`, async () => {
  const memory = ['--max-old-space-size=24', '--max-semi-space-size=2']
  const { stdout } = await promisify(execFile)(process.execPath, [...memory, program, String(count)])
  const sizes = JSON.parse(stdout) as Record<string, number>
  expect(sizes.camt053).toBeGreaterThan(30_000_000)
  for (const format of ['ofx', 'hledger', 'beancount']) expect(sizes[format]).toBeGreaterThan(200 * count)
})
