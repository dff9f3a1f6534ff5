import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCatalogues } from '../../messages.ts'
import { acceptJson } from './json-body.ts'
import { answerError } from '../problem.ts'
import { refuseUnstorable } from './storable-text.ts'

let http: FastifyInstance
beforeAll(async () => {
  http = fastify()
  acceptJson(http)
  http.setErrorHandler(answerError)
  http.decorate('catalogues', await readCatalogues())
  http.post('/echo', async ({ body }) => {
    refuseUnstorable(body)
    return { body }
  })
})
afterAll(() => http.close())

async function post(payload: string | Buffer) {
  const headers = { 'content-type': 'application/json' }
  const reply = await http.inject({ method: 'POST', url: '/echo', headers, payload })
  const { code, errors } = reply.json<{ code?: string; errors?: { field: string; code: string }[] }>()
  return {
    status: reply.statusCode,
    code,
    errors: errors?.map((error) => [error.field, error.code]),
    body: reply.json().body,
  }
}

describe('a number that JavaScript would round is refused by name', () => {
  test.each([
    '1.123456789012345678',
    '0.30000000000000004441',
    '9007199254740993',
    '12345678901234567890',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '1e999999999',
    '1e-999999999',
    `0.${'1'.repeat(40)}`,
    '123456789.1234567891',
    '1.00000000000000001e2',
    '0.1000000000000000055511151231257827',
    '1e1000000000000000000000',
    '1e-1000000000000000000000',
    `1.${'0'.repeat(300)}1`,
    `1${'0'.repeat(400)}`,
  ])('%s', async (number) => {
    const invalidRequest = { status: 422, code: 'invalid_request' }
    expect(await post(`{"amount":${number}}`)).toMatchObject({
      ...invalidRequest,
      errors: [['amount', 'number_loses_digits']],
    })
    const nestedErrors = { errors: [['people.0.amount', 'number_loses_digits']] }
    expect(await post(`{"people":[{"amount": ${number} }]}`)).toMatchObject({ ...invalidRequest, ...nestedErrors })
  })

  test.each([
    ['0', 0],
    ['-0', -0],
    ['0.10', 0.1],
    ['1E2', 100],
    ['0.1e1', 1],
    ['1.10000000000000000000', 1.1],
    ['100000000000000000000000', 1e23],
    ['9007199254740992', 9_007_199_254_740_992],
    ['0.000000000000000001', 1e-18],
    ['0e999', 0],
    ['0.30000000000000004', 0.300_000_000_000_000_04],
    ['5e-324', 5e-324],
    ['-0.0', 0],
    ['1e21', 1e21],
    ['1.50e-7', 1.5e-7],
    ['1e308', 1e308],
    ['0.00000000000000000000001', 1e-23],
    ['1000000000000000.5', 1_000_000_000_000_000.5],
  ])('%s is exact', async (number, value) => {
    expect(await post(`{"amount":${number},"note":"1.123456789012345678 1e400"}`)).toMatchObject({
      status: 200,
      body: { amount: value === 0 ? 0 : value, note: '1.123456789012345678 1e400' },
    })
  })
})

test.each([
  ['one number of many zeros', `{"a":1.${'0'.repeat(64_000)}1}`],
  ['many small numbers', `[${Array.from({ length: 9000 }, () => '1e-300').join()}]`],
  ['many large numbers', `[${Array.from({ length: 10_000 }, () => '1e300').join()}]`],
  ['a text of quotes', `{"a":"${String.raw`\"`.repeat(32_000)}"}`],
  ['a text of blanks', `{"a":"x${' '.repeat(64_000)}x"}`],
])('%s takes less than a second of processor time', async (_name, payload) => {
  const startUsage = process.cpuUsage()
  await post(payload)
  expect(process.cpuUsage(startUsage).user).toBeLessThan(1_000_000)
})

test('names may repeat in other objects, and in texts', async () => {
  const value = { a: { a: [{ a: '"a":1,"a":2' }, { a: 'a: "b" :' }] }, b: '\\":', c: {} }
  expect(await post(JSON.stringify(value, null, 2))).toMatchObject({ status: 200, body: value })
})

describe('text that cannot be stored is refused by name', () => {
  test.each([
    [String.raw`{"a":"x\ud83c"}`, 'a', 'broken_characters'],
    [String.raw`{"a":"\udf54x"}`, 'a', 'broken_characters'],
    [String.raw`{"a":{"b":["x","\udf54\ud83c"]}}`, 'a.b.1', 'broken_characters'],
    [String.raw`{"a":{"\ud83c":1}}`, 'a.\uFFFD', 'broken_characters'],
    [String.raw`["\ud83c"]`, '0', 'broken_characters'],
    [String.raw`"\ud83c"`, 'body', 'broken_characters'],
    [String.raw`{"a":"\u0000"}`, 'a', 'control_characters'],
    [String.raw`{"a\u0000":1}`, 'a\u0000', 'control_characters'],
  ])('%s', async (payload, field, code) => {
    expect(await post(payload)).toMatchObject({ status: 422, code: 'invalid_request', errors: [[field, code]] })
  })

  test('whole pairs, escaped or not, are text', async () => {
    expect(await post(String.raw`{"a":"\ud83c\udf54 🍔"}`)).toMatchObject({ status: 200, body: { a: '🍔 🍔' } })
  })
})

describe('a body that is no JSON in UTF-8 is refused whole', () => {
  test.each([
    ['nothing', ''],
    ['half an object', '{"a":'],
    ['a comment', '{"a":1 /* one */}'],
    ['NaN', '{"a":NaN}'],
    ['a leading zero', '{"a":01}'],
    ['a plus', '{"a":+1}'],
    ['a number without its fraction', '{"a":1.}'],
    ['a comma too many', '{"a":1,}'],
    ['something behind it', '{"a":1}x'],
    ['two values', '{"a":1}{"a":2}'],
    ['a name twice', '{"amount":"5.00","amount":"500.00"}'],
    ['a name twice, once in escapes', String.raw`{"amount":1,"\u0061mount":2}`],
    ['a name twice within', '{"people":[{"id":1},{"id":1,"share":2,"id":3}]}'],
    ['a name twice, the first with too many digits', '{"a":1.123456789012345678,"a":1}'],
    ['two byte-order marks', '\uFEFF\uFEFF{}'],
    ['a raw line break in a text', '{"a":"x\ny"}'],
    ['a prototype', '{"__proto__":{"isAdmin":true}}'],
    ['a prototype in escapes', String.raw`{"a":{"\u005f_proto__":1}}`],
    ["a constructor's prototype", '{"constructor":{"prototype":{"isAdmin":true}}}'],
    ['33 levels', '['.repeat(33) + ']'.repeat(33)],
    ['30,000 levels', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['30,000 levels and a long number', `${'['.repeat(30_000)}1.1234567890123456789${']'.repeat(30_000)}`],
    ['half a surrogate pair in bytes', Buffer.from('7b2261223a22eda0bc227d', 'hex')],
    ['Latin-1', Buffer.from('{"a":"José"}', 'latin1')],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ])('%s', async (_name, payload) => {
    expect(await post(payload)).toMatchObject({ status: 400, code: 'malformed_body' })
  })

  test('a byte-order mark and 31 levels are accepted', async () => {
    expect(await post(Buffer.from('\uFEFF{"a":1}'))).toMatchObject({ status: 200, body: { a: 1 } })
    expect(await post('['.repeat(31) + ']'.repeat(31))).toMatchObject({ status: 200 })
  })
})
