import { Writable } from 'node:stream'
import { createTestDatabase } from '@tern/testkit/database'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { loggablePath, logSerializers } from './logging.ts'

const database = await createTestDatabase()

/** Returns the line that is logged about the error of a statement. */
async function logErrorOf(sql: string, values: unknown[], wrap = (error: unknown) => error): Promise<string> {
  let line = ''
  const destination = new Writable({
    write(chunk, _encoding, done) {
      line += String(chunk)
      done()
    },
  })
  const log = pino({ serializers: logSerializers }, destination)
  const error: unknown = await database.pool.query(sql, values).then(
    () => new Error('the statement has succeeded'),
    (cause: unknown) => cause,
  )
  log.error({ err: wrap(error) }, 'failed')
  return line
}

const insert = `insert into app_user (id, email, username, created_at) values (5, $1, 'x', now())`

test.each([
  ['a row that breaks a rule', insert, ['secret-mail@tern.example'], 'app_user'],
  ['input that is no number', 'select $1::text::bigint', ['secret-4111'], '22P02'],
  ['input that is no date', 'select $1::text::date', ['secret-4111'], '22007'],
])('a database error about %s is logged without the values, and with its code', async (_case, sql, values, kept) => {
  for (const wrap of [
    (error: unknown) => error,
    (error: unknown) => new Error('a send failed', { cause: error }),
    (error: unknown) => new AggregateError([error], 'all failed'),
  ]) {
    const line = await logErrorOf(sql, values, wrap)
    expect(line).not.toContain('secret-')
    expect(line).toContain(kept)
    expect(JSON.parse(line)).toMatchObject({ err: { stack: expect.stringContaining('at ') } })
  }
})

test('other errors are logged with message, code and cause', async () => {
  const cause = Object.assign(new Error('connect "db" refused'), { code: 'ECONNREFUSED' })
  const line = await logErrorOf('select 1', [], () => new Error('no database', { cause }))
  expect(JSON.parse(line).err).toMatchObject({
    message: 'no database',
    cause: { message: 'connect "db" refused', code: 'ECONNREFUSED' },
  })
})

test.each([
  ['/api/statements?currency=USD', '/api/statements'],
  ['/api/certificates', '/api/certificates'],
  ['/api/certificates/4H8K2-7QWXM-N0V3T-B6E9R', '/api/certificates/…'],
  ['/api/certificates/4h8k27qwxmn0v3tb6e9r/certificate.pdf?paper=a4', '/api/certificates/…/certificate.pdf'],
  ['/certificate/4H8K2-7QWXM-N0V3T-B6E9R/', '/certificate/…/'],
])('the path of %s is logged without query and code', (url, path) => {
  expect(loggablePath(url)).toBe(path)
})
