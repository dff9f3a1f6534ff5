import { refusals as sentences } from '@tern/messages/en/problems'
import { allEndpoints } from '../endpoints.ts'
import { type Endpoint, listRefusals } from '../protocol/endpoint.ts'
import { refusalCodes, type RefusalCode, refusalStatus } from '../protocol/refusal.ts'
import { buildExample } from './examples.ts'
import {
  formSchema,
  isEmptyReply,
  type JsonSchema,
  describeParameters,
  buildReferenceSchemas,
  findReplyName,
  buildRequestName,
  buildSchemaRef,
} from './schemas.ts'

type Json = Readonly<Record<string, unknown>>

const tags: Readonly<Record<string, string>> = {
  auth: 'Sessions, second factors, passkeys and confirmations.',
  currency: 'Exchange rates.',
  events: 'What changes, as it changes.',
  exchange: 'Exchange between the balances of a wallet.',
  kyc: 'Identity verification.',
  payment: 'Money from and to cards and banks, and to other people.',
  quotes: 'Prices that hold for five minutes.',
  transaction: 'What happened to a wallet.',
  transfers: 'How transfers stand; canceling and settling those that are held.',
  user: 'Accounts, profiles and limits.',
  wallet: 'Balances.',
}

const findTag = ({ path }: Endpoint): string => path.split('/')[1] ?? ''

/** Refusals that any call can get; `bodyRefusals` apply to any call with a body. */
const generalRefusals: readonly RefusalCode[] = ['unknown_host', 'internal', 'service_unavailable']
const bodyRefusals: readonly RefusalCode[] = ['malformed_body', 'payload_too_large', 'unsupported_media_type']

const listCodes = (endpoint: Endpoint): RefusalCode[] => [
  ...new Set([
    ...listRefusals(endpoint),
    ...((endpoint.body ?? endpoint.form) ? bodyRefusals : []),
    ...generalRefusals,
  ]),
]

const requestId = '019372a4-5b1c-7c3e-8a2d-4f6b1e9c0d57'

/** Additional member of the problem document, by refusal code. */
const problemMembers: Partial<Record<RefusalCode, string>> = {
  step_up_required: 'confirmation',
  quote_expired: 'quote',
}

function buildProblemExample(code: RefusalCode, schemas: Readonly<Record<string, JsonSchema>>): Json {
  const sentence = sentences[code]
  const field = code === 'invalid_request' ? { field: 'amount', code: 'missing', message: 'Required' } : undefined
  const member = problemMembers[code]
  const schema = member === undefined ? undefined : schemas.Problem?.properties?.[member]
  return {
    type: `urn:tern:problem:${code}`,
    title: sentence,
    status: refusalStatus(code),
    detail: field ? `${field.field}: ${field.message}` : sentence,
    code,
    ...(field ? { reason: field.code } : {}),
    requestId,
    ...(field ? { errors: [field] } : {}),
    ...(member !== undefined && schema ? { [member]: buildExample(schema, schemas, member) } : {}),
  }
}

const text: JsonSchema = { type: 'string' }
const params: JsonSchema = {
  type: 'object',
  description: 'The parameters of the sentence.',
  additionalProperties: { type: ['string', 'number'] },
}

const problemSchemas: Record<string, JsonSchema> = {
  RefusalCode: { type: 'string', enum: refusalCodes, description: 'Stable; new ones may be added.' },
  FieldProblem: {
    type: 'object',
    properties: { field: { ...text, description: 'The field as it was sent.' }, code: text, params, message: text },
    required: ['field', 'code', 'message'],
  },
  Problem: {
    type: 'object',
    description: 'Problem details (RFC 9457). `title` and `detail` are sentences in the language of the request.',
    properties: {
      type: { ...text, format: 'uri' },
      title: text,
      status: { type: 'integer' },
      detail: text,
      code: { $ref: buildSchemaRef('RefusalCode') },
      reason: { ...text, description: 'A more specific reason than `code`, if known.' },
      params,
      requestId: { ...text, format: 'uuid' },
      errors: { type: 'array', items: { $ref: buildSchemaRef('FieldProblem') } },
      confirmation: { $ref: buildSchemaRef('StepUpRequirement') },
      quote: { $ref: buildSchemaRef('Quote') },
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  },
}

/** Describes the refusals of one HTTP status, with an example of each. */
const describeRefusals = (codes: readonly RefusalCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${sentences[code]}`).join('\n\n'),
  content: {
    'application/problem+json': {
      schema: {
        allOf: [
          { $ref: buildSchemaRef('Problem') },
          { type: 'object', properties: { code: { type: 'string', enum: codes } }, required: ['code'] },
        ],
      },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
})

function refusalsByStatus(endpoint: Endpoint): Json {
  const byStatus = new Map<number, RefusalCode[]>()
  for (const code of listCodes(endpoint)) {
    byStatus.set(refusalStatus(code), [...(byStatus.get(refusalStatus(code)) ?? []), code])
  }
  return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), describeRefusals(codes)]))
}

function describeSuccess(operation: string, endpoint: Endpoint, schemas: Readonly<Record<string, JsonSchema>>): Json {
  if (endpoint.file) return { description: 'The file.', content: { [endpoint.file]: {} } }
  if (isEmptyReply(endpoint)) return { description: 'Done.' }
  const name = findReplyName(operation, endpoint)
  const schema: JsonSchema = { $ref: buildSchemaRef(name) }
  const example = buildExample(schema, schemas)
  if (!endpoint.stream) return { description: 'Done.', content: { 'application/json': { schema, example } } }
  const description = `A stream of events; the data of each is a \`${name}\`.`
  return { description, content: { 'text/event-stream': { schema, example } } }
}

/** Describes a multipart body with its fields and its file. */
function describeFormBody(form: NonNullable<Endpoint['form']>): Json {
  const { properties = {}, required = [] } = formSchema(form)
  const file = { type: 'string', format: 'binary' }
  const schema = { type: 'object', properties: { ...properties, file }, required: [...required, 'file'] }
  return { required: true, content: { 'multipart/form-data': { schema } } }
}

function describeHeaders({ idempotencyKey, stepUp, stream }: Endpoint): Json[] {
  const names = [
    ...(idempotencyKey ? [idempotencyKey === 'required' ? 'IdempotencyKey' : 'OptionalIdempotencyKey'] : []),
    ...(stepUp ? ['StepUp'] : []),
    ...(stream ? ['LastEventId'] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function describeOperation(operation: string, endpoint: Endpoint, schemas: Readonly<Record<string, JsonSchema>>): Json {
  const { summary, params: path, query, body, form, access, status = 200 } = endpoint
  const request: JsonSchema = { $ref: buildSchemaRef(buildRequestName(operation)) }
  const parameters = [
    ...describeParameters(path, 'path'),
    ...describeParameters(query, 'query'),
    ...describeHeaders(endpoint),
  ]
  return {
    operationId: operation,
    summary,
    tags: [findTag(endpoint)],
    security: access === 'session' ? [{ bearer: [] }] : operation === 'refreshToken' ? [{ refresh: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(form ? { requestBody: describeFormBody(form) } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: request, example: buildExample(request, schemas) } },
          },
        }
      : {}),
    responses: { [String(status)]: describeSuccess(operation, endpoint, schemas), ...refusalsByStatus(endpoint) },
  }
}

const uuid: JsonSchema = { type: 'string', format: 'uuid' }
const header = (name: string, description: string, schema: JsonSchema, required = false): Json => ({
  name,
  in: 'header',
  description,
  required,
  schema,
})
const keyText =
  'A UUID, made anew for each intended movement: the same key moves money once, however often it is sent. In quotes (RFC 8941) it is the same key.'

const parameters: Json = {
  IdempotencyKey: header('Idempotency-Key', keyText, uuid, true),
  OptionalIdempotencyKey: header('Idempotency-Key', keyText, uuid),
  StepUp: header(
    'Step-Up',
    'The id of the confirmation that `step_up_required` asked for, once it is confirmed.',
    uuid,
  ),
  LastEventId: header('Last-Event-ID', 'The id of the last event received, to go on after it.', text),
}

const description = `Amounts are decimal strings with all decimals of their currency, unless said otherwise. Paths are answered with and
without a trailing slash. Amounts may be JSON numbers too, unless JavaScript would round them: \`number_loses_digits\`, send
them as text. Bodies are JSON in UTF-8, at most 32 levels deep. Half a surrogate pair (\`broken_characters\`) and U+0000
(\`control_characters\`) are refused in any field. Other invisible characters are removed from texts, except where they shape
emoji or letters; a text without a visible character is empty. Domains of emails are stored in A-labels, in lower case;
before the at sign an email has ASCII only (\`foreign_local_part\`). Every refusal is \`application/problem+json\`, with a \`code\` from one table.

A body may hold no other fields than those of its schema. Four are read from any signed-in caller all the same: \`userId\` and
\`sender_id\` must be the caller's own number (\`not_your_account\` otherwise), \`fee\` and \`skip_sender_deduction\` mean nothing.`

/** Builds the OpenAPI 3.1 document of the whole API at `publicUrl` from the contract. */
export function buildOpenApiDocument(publicUrl: string): Json {
  const schemas = { ...buildReferenceSchemas(), ...problemSchemas }
  const paths: Record<string, Record<string, Json>> = {}
  const endpoints = Object.entries(allEndpoints as Readonly<Record<string, Endpoint>>)
  for (const [operation, endpoint] of endpoints) {
    const path = `/api${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(operation, endpoint, schemas) }
  }
  const usedTags = [...new Set(endpoints.map(([, endpoint]) => findTag(endpoint)))].toSorted()
  const codes = [...new Set(endpoints.flatMap(([, endpoint]) => listCodes(endpoint)))].toSorted()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tern API',
      version: '0.1.0',
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: publicUrl, description: 'This installation.' }],
    tags: usedTags.map((name) => ({ name, description: tags[name] ?? `Calls below \`/${name}\`.` })),
    paths,
    components: {
      schemas,
      parameters,
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: sentences[code], value: buildProblemExample(code, schemas) }]),
      ),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A five-minute access token.' },
        refresh: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-rt',
          description: 'The refresh cookie that logging in sets; over plain HTTP its name is `rt`.',
        },
      },
    },
  }
}
