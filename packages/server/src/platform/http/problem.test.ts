import { type FieldCode, toFieldIssue } from '@tern/contract/protocol/field-problems'
import { endpoint } from '@tern/contract/protocol/endpoint'
import { type Problem, refusalCodes } from '@tern/contract/protocol/refusal'
import { text } from '@tern/contract/protocol/wire'
import { fields } from '@tern/messages/en/fields'
import { requestFields } from '@tern/messages/en/request-fields'
import { verificationFields } from '@tern/messages/en/verification-fields'
import { reasons, refusals } from '@tern/messages/en/problems'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { readPseudoMessages } from '../../../../../tools/pseudo-language.ts'
import { currentRequestMessages } from '../messages.ts'
import { type Reason, refuse, refuseField } from '../refuse.ts'
import { shortenName } from './problem.ts'
import { serve } from './serve.ts'
import { createTestHttp } from '@tern/testkit/http/http'

const pseudoMessages = await readPseudoMessages('qps-XA')

const declaredEndpoint = {
  method: 'POST',
  summary: 'Says no.',
  access: 'public',
  reply: z.object({}),
  refusals: ['invalid_request'],
} as const

const params: Readonly<Record<string, string | number>> = {
  max: 7,
  years: 10,
  min: 2,
  kilobytes: 8,
  name: 'Aadhaar',
  format: '9999 9999 9999',
  digits: '11',
  currency: 'EUR',
  accepted: 'USD',
  balance: '1.00',
  amount: '1.00',
  sum: '1.00',
  total: '1.00',
  line: 'cap_1',
  what: 'payout',
  options: '12, 34',
  limit: 'own_day',
  left: '1.00',
  seconds: 120,
  minutes: 2,
  needed: '2.00',
  available: '1.00 EUR',
  day: '2026-03-09',
  estimate: '1.00',
  least: '1.00',
}

let database: TestDatabase
let http: FastifyInstance

beforeAll(async () => {
  database = await createTestDatabase()
  const authenticate = () => Promise.reject(new Error('nobody is asked who they are'))
  const catalogues = new Map([
    ['en', currentRequestMessages()],
    ['qps-XA', pseudoMessages],
  ])
  http = await createTestHttp({ authenticate, pool: database.pool, databaseUrl: database.url, catalogues }, (api) => {
    for (const code of refusalCodes)
      serve(api, endpoint({ ...declaredEndpoint, path: `/codes/${code}` }), () => refuse(code))
    for (const code of Object.keys({ ...reasons, ...fields, ...requestFields, ...verificationFields })) {
      const reason = { code, params } as unknown as Reason
      serve(api, endpoint({ ...declaredEndpoint, path: `/reasons/${code}` }), () =>
        refuse('invalid_request', { reason }),
      )
      serve(api, endpoint({ ...declaredEndpoint, path: `/fields/${code}` }), () =>
        refuseField('invalid_request', 'f', reason),
      )
    }
    const body = z.object({ note: text(5), count: z.int(), kind: z.enum(['a', 'b']) })
    serve(api, endpoint({ ...declaredEndpoint, path: '/form', body }), () => Promise.resolve({}))
  })
})
afterAll(async () => {
  await http.close()
  await database.drop()
})

async function loadProblem(path: string, language = 'qps-XA', payload: object = {}): Promise<Problem> {
  const reply = await http.inject({
    method: 'POST',
    url: `/api${path}`,
    headers: { 'accept-language': language },
    payload,
  })
  return { ...reply.json<Problem>(), language: reply.headers['content-language'] }
}

const translateToPseudo = (sentence: string) => pseudoMessages.ofField({ field: 'f', sentence })

const pseudoPattern = /^\[!! .+ !!\]$/u
// Ignores the letters of `US$`, as some languages write dollars.
const listWords = (sentence: string): string[] =>
  (sentence.match(/[A-Za-z]{2,}(?!\$)\b/g) ?? []).filter(
    (word) => !Object.values(params).includes(word) && !['cap', 'Tern'].includes(word),
  )

describe('in another language', () => {
  test.each(refusalCodes)('%s is translated completely', async (code) => {
    const problem = await loadProblem(`/codes/${code}`)
    expect(problem).toMatchObject({ code, language: 'qps-XA' })
    for (const sentence of [problem.title, problem.detail]) {
      expect(sentence).toMatch(pseudoPattern)
      expect(listWords(sentence)).toEqual([])
    }
  })

  test.each(Object.keys({ ...reasons, ...fields, ...requestFields, ...verificationFields }))(
    'the reason %s is translated, for the request and for a field',
    async (code) => {
      const problem = await loadProblem(`/reasons/${code}`)
      const field = await loadProblem(`/fields/${code}`)
      expect(problem).toMatchObject({
        code: 'invalid_request',
        reason: code,
        detail: expect.stringMatching(pseudoPattern),
      })
      expect(field.errors).toMatchObject([{ field: 'f', code, message: problem.detail }])
      // If a sentence names no field, the field's detail adds the name `f`.
      expect([problem.detail, translateToPseudo(problem.detail)]).toContain(field.detail)
      expect(listWords(problem.detail)).toEqual([])
    },
  )

  test('fields that a schema refuses are reported as codes with their parameters', async () => {
    const problem = await loadProblem('/form', 'qps-XA', { note: 'too long', count: 'x', kind: 'c' })
    expect(problem.errors).toMatchObject([
      { field: 'note', code: 'too_long', params: { max: 5 } },
      { field: 'count', code: 'not_a_number' },
      { field: 'kind', code: 'not_an_option', params: { options: 'a, b' } },
    ])
    for (const { message } of problem.errors ?? []) expect(message).toMatch(pseudoPattern)
  })
})

test.each([
  ['qps-XA, en;q=0.5', 'qps-XA'],
  ['de, qps-XA;q=0.9, en;q=0.1', 'qps-XA'],
  ['qps-XA;q=0, en', 'en'],
  ['de', 'en'],
  ['*', 'en'],
  ['', 'en'],
  ['en-GB', 'en'],
  [';;;,q=, q', 'en'],
])('a request with Accept-Language "%s" is answered in %s', async (header, language) => {
  const problem = await loadProblem('/codes/not_found', header)
  expect(problem.language).toBe(language)
  expect(problem.detail).toBe(language === 'en' ? refusals.not_found : pseudoMessages.refusals.not_found)
})

test('a long name of a field is repeated in part, in whole characters', () => {
  expect(shortenName('note')).toBe('note')
  expect(shortenName('x'.repeat(61))).toBe(`${'x'.repeat(60)}…`)
  expect(shortenName(`x${'🎉'.repeat(60)}`)).toBe(`x${'🎉'.repeat(59)}…`)
})

test('every code of a refusal has a sentence, and no other has', () => {
  expect(Object.keys(refusals).toSorted()).toEqual(refusalCodes.toSorted())
})

test('a schema without its own message uses that of its kind', () => {
  const readIssues = (schema: z.ZodMiniType, value: unknown) =>
    schema.safeParse(value).error?.issues.map((issue) => toFieldIssue(issue))
  const cases: [z.ZodMiniType, unknown, FieldCode, object?][] = [
    [z.string().check(z.maxLength(3)), 'four', 'too_long', { max: 3 }],
    [z.string().check(z.minLength(3)), 'x', 'too_short', { min: 3 }],
    [z.number().check(z.maximum(3)), 4, 'too_large', { max: 3 }],
    [z.number().check(z.minimum(3)), 2, 'too_small', { min: 3 }],
    [z.string(), 7, 'not_text'],
    [z.number(), 'x', 'not_a_number'],
    [z.int(), 1.5, 'not_a_whole_number'],
    [z.boolean(), 'x', 'not_true_or_false'],
    [z.object({}), 'x', 'not_an_object'],
    [z.record(z.string(), z.string()), 'x', 'not_an_object'],
    [z.array(z.string()), 'x', 'not_a_list'],
    [z.uuid(), 'x', 'not_a_uuid'],
    [z.iso.date(), 'x', 'not_a_date'],
    [z.iso.datetime(), 'x', 'not_a_moment'],
    [z.enum(['a', 'b']), 'c', 'not_an_option', { options: 'a, b' }],
    [z.url(), 'x', 'invalid'],
  ]
  for (const [schema, value, code, expectedParams] of cases) {
    expect(readIssues(schema, value)).toEqual([expectedParams ? { code, params: expectedParams } : { code }])
  }
})
