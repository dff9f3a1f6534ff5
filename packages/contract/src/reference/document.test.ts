import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { allEndpoints } from '../endpoints.ts'
import { type Endpoint, listRefusals } from '../protocol/endpoint.ts'
import { refusalCodes, refusalStatus } from '../protocol/refusal.ts'
import { buildOpenApiDocument } from './document.ts'

interface Content {
  schema: { $ref?: string; allOf?: { properties?: { code?: { enum: string[] } } }[] }
  example?: unknown
  examples?: Record<string, { $ref: string }>
}
interface Operation {
  operationId: string
  tags: string[]
  security: object[]
  parameters?: { $ref?: string; name?: string }[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, { description: string; content?: Record<string, Content> }>
}
interface Document {
  info: { license: { name: string } }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Record<string, unknown>>; examples: Record<string, unknown> }
}

const createDocument = () => structuredClone(buildOpenApiDocument('https://tern.example.org')) as unknown as Document
const document = createDocument()
const endpoints = Object.entries(allEndpoints as Readonly<Record<string, Endpoint>>)

const findOperation = ({ method, path }: Endpoint, source = document): Operation => {
  const operation = source.paths[`/api${path.replaceAll(/:(\w+)/g, '{$1}')}`]?.[method.toLowerCase()]
  if (!operation) throw new Error(`${method} ${path} is not in the reference`)
  return operation
}

/** Returns the errors that Redocly's recommended rules find in a document, invalid examples included. */
async function lint(openApi: Document): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'no-invalid-media-type-examples': 'error', 'no-invalid-schema-examples': 'error' },
  })
  const source = JSON.stringify(openApi)
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  return problems.flatMap(({ severity, ruleId, message }) => (severity === 'error' ? [`${ruleId}: ${message}`] : []))
}

test('the reference passes the linter without an error', async () => {
  expect(await lint(document)).toEqual([])
})

test('the linter finds an invalid example, a dangling reference and a duplicate name', async () => {
  const invalidDocument = createDocument()
  const order = findOperation(allEndpoints.sendMoney, invalidDocument)
  for (const content of Object.values(order.requestBody?.content ?? {})) content.example = { recipient_id: 'x' }
  findOperation(allEndpoints.ownWallets, invalidDocument).operationId = 'sendMoney'
  delete invalidDocument.components.schemas.Wallet
  const lintOutput = (await lint(invalidDocument)).join('\n')
  for (const rule of ['no-invalid-media-type-examples', 'no-unresolved-refs', 'operation-operationId-unique']) {
    expect(lintOutput).toContain(rule)
  }
})

test('the document has every call of the contract under its name, and no other', () => {
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((one) => one.operationId))
  expect(ids.toSorted()).toEqual(endpoints.map(([name]) => name).toSorted())
  const describedTags = new Set(document.tags.map(({ name }) => name))
  for (const path of Object.values(document.paths)) {
    for (const { tags } of Object.values(path)) for (const tag of tags) expect(describedTags).toContain(tag)
  }
  expect(document.info.license.name).toBe('Apache-2.0')
  expect(document.servers).toMatchObject([{ url: 'https://tern.example.org' }])
})

test.each(endpoints)('%s: its examples are what the contract accepts', (_name, endpoint) => {
  const { requestBody, responses } = findOperation(endpoint)
  if (endpoint.form) {
    expect(requestBody?.content['multipart/form-data']).toBeDefined()
  } else if (endpoint.body) {
    const { example } = requestBody?.content['application/json'] ?? {}
    expect(endpoint.body.safeParse(example).error).toBeUndefined()
  } else expect(requestBody).toBeUndefined()
  const { content } = responses[String(endpoint.status ?? 200)] ?? {}
  if (endpoint.status === 204) return expect(content).toBeUndefined()
  if (endpoint.file) return expect(Object.keys(content ?? {})).toEqual([endpoint.file])
  const { example, schema } = Object.values(content ?? {})[0] ?? {}
  expect(endpoint.reply.safeParse(example).error).toBeUndefined()
  expect(schema?.$ref).toMatch(/^#\/components\/schemas\/[A-Z]\w+$/)
})

test.each(endpoints)('%s: each of its refusals is a response with an example', (_name, endpoint) => {
  const { responses, security, parameters = [] } = findOperation(endpoint)
  const reportedCodes = Object.entries(responses).flatMap(([status, { content }]) => {
    const { schema, examples } = content?.['application/problem+json'] ?? {}
    const codes = schema?.allOf?.[1]?.properties?.code?.enum ?? []
    expect(Object.keys(examples ?? {})).toEqual(codes)
    return codes.map((code) => `${status} ${code}`)
  })
  const expectedCodes = [...listRefusals(endpoint), 'internal' as const].map((code) => `${refusalStatus(code)} ${code}`)
  expect(reportedCodes).toEqual(expect.arrayContaining(expectedCodes))
  if (endpoint.access === 'session') expect(security).toEqual([{ bearer: [] }])
  const names = parameters.map(({ name, $ref }) => name ?? $ref)
  const pathParams = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(pathParams))
  if (endpoint.idempotencyKey === 'required') expect(names).toContain('#/components/parameters/IdempotencyKey')
  if (endpoint.stepUp) expect(names).toContain('#/components/parameters/StepUp')
})

test('bodies hold only what a caller should send', () => {
  const { schemas } = document.components
  expect(schemas.UpdateWalletRequest).toMatchObject({ required: ['name'], additionalProperties: false })
  expect(Object.keys(schemas.UpdateWalletRequest?.properties ?? {})).toEqual(['name'])
  expect(Object.keys(schemas.CreateQuoteRequest?.properties ?? {})).not.toContain('fee')
  expect(schemas.Wallet).not.toHaveProperty('additionalProperties')
})

test('every refusal of a call has an example, and every example is a code', () => {
  for (const code of Object.keys(document.components.examples)) expect(refusalCodes).toContain(code)
  expect(z.array(z.string()).parse(document.components.schemas.RefusalCode?.enum)).toEqual(refusalCodes)
})
