import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runOnce, withDatabase } from '@tern/testkit/database'
import { runExample } from '../test/run-example.ts'
import { ledgerSchema } from './schema.ts'

const folder = fileURLToPath(new URL('../examples', import.meta.url))
const examples = fs.readdirSync(folder).filter((file) => file.endsWith('.sql'))

/** Calls `callback` with the URL of a database that contains only the ledger's schema. */
async function withLedger<T>(callback: (url: string) => Promise<T>): Promise<T> {
  const { TEST_DATABASE_URL: serverUrl = '', TEST_DATABASE_TEMPLATE: template = '' } = process.env
  const name = `${template}_${randomBytes(6).toString('hex')}`
  await runOnce(serverUrl, `create database ${name} template template0`)
  const url = withDatabase(serverUrl, name)
  try {
    await runOnce(url, fs.readFileSync(ledgerSchema, 'utf8'))
    return await callback(url)
  } finally {
    await runOnce(serverUrl, `drop database ${name} with (force)`)
  }
}

describe('the examples of the ledger', () => {
  test.each(examples)('%s prints its committed output', async (example) => {
    const script = fs.readFileSync(path.join(folder, example), 'utf8')
    const output = await withLedger((url) => runExample(url, script))
    await expect(output).toMatchFileSnapshot(path.join(folder, `${example}.out`))
  })

  test('have one output each', () => {
    const outputs = fs.readdirSync(folder).filter((file) => file.endsWith('.out'))
    expect(outputs).toEqual(examples.map((example) => `${example}.out`))
  })
})
