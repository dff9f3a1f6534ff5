import * as z from 'zod/mini'
import { allEndpoints, namedSchemas } from '../endpoints.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { buildStrictBody } from '../protocol/strict-body.ts'

/** Subset of JSON Schema (2020-12) that the reference and its examples use. */
export interface JsonSchema {
  $ref?: string
  $id?: string
  $schema?: string
  type?: string | string[]
  format?: string
  pattern?: string
  const?: unknown
  enum?: readonly unknown[]
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  not?: JsonSchema
  minimum?: number
  minLength?: number
}

export const buildSchemaRef = (name: string): string => `#/components/schemas/${name}`

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

export const buildRequestName = (operation: string): string => `${capitalize(operation)}Request`

const schemasByName = Object.fromEntries(namedSchemas.toSorted(([a], [b]) => (a < b ? -1 : 1)))
if (Object.keys(schemasByName).length < namedSchemas.length)
  throw new Error('two schemas of the API reference have one name')

const namesBySchema = new Map(Object.entries(schemasByName).map(([name, schema]) => [schema, name]))

/** Returns the schema name of an endpoint's reply: the name of a shared schema, or one derived from the operation. */
export const findReplyName = (operation: string, { reply }: Endpoint): string =>
  namesBySchema.get(reply) ?? `${capitalize(operation)}Reply`

/** Reports whether an endpoint's reply has no JSON schema. */
export const isEmptyReply = ({ status, file }: Endpoint): boolean => status === 204 || file !== undefined

const zodOptions = {
  unrepresentable: 'any',
  /** Drops patterns that the format implies, and allows additional fields. */
  override({ jsonSchema }: { jsonSchema: unknown }) {
    const schema = jsonSchema as JsonSchema
    if (schema.format !== undefined) delete schema.pattern
    if (schema.additionalProperties === false) delete schema.additionalProperties
  },
} as const

/** Converts named schemas to JSON Schema, with references to each other by name. */
function toJsonSchemas(
  schemas: Readonly<Record<string, z.ZodMiniType>>,
  io: 'input' | 'output',
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [name, schema] of Object.entries(schemas)) registry.add(schema, { id: name })
  const output = z.toJSONSchema(registry, { ...zodOptions, io, uri: buildSchemaRef })
  const jsonSchemas = output.schemas as Record<string, JsonSchema>
  for (const schema of Object.values(jsonSchemas)) {
    delete schema.$id
    delete schema.$schema
  }
  return jsonSchemas
}

/** Returns the documented schema of a body: without fields that are always refused or ignored. */
function buildRequestSchema(schema: JsonSchema, { body }: Endpoint): JsonSchema {
  const declaredNames = new Set(Object.keys((body as z.ZodMiniObject | undefined)?.shape ?? {}))
  const properties = Object.entries(schema.properties ?? {}).filter(
    ([name, { not }]) => declaredNames.has(name) && !not,
  )
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false }
}

/** Returns all named schemas of the reference: shared schemas, all bodies and all replies. */
export function buildReferenceSchemas(): Record<string, JsonSchema> {
  const endpoints = Object.entries(allEndpoints as Readonly<Record<string, Endpoint>>)
  const replies = endpoints.flatMap(([operation, endpoint]) =>
    isEmptyReply(endpoint) || namesBySchema.has(endpoint.reply)
      ? []
      : // Cloned, since several endpoints may share one schema.
        [[findReplyName(operation, endpoint), endpoint.reply.clone()] as const],
  )
  const bodies = endpoints.flatMap(([operation, endpoint]) => {
    const body = buildStrictBody(endpoint)
    return body ? [{ name: buildRequestName(operation), body, endpoint }] : []
  })
  const output = toJsonSchemas({ ...schemasByName, ...Object.fromEntries(replies) }, 'output')
  const input = toJsonSchemas(
    { ...schemasByName, ...Object.fromEntries(bodies.map(({ name, body }) => [name, body])) },
    'input',
  )
  for (const name of Object.keys(schemasByName)) {
    if (JSON.stringify(input[name]) === JSON.stringify(output[name])) continue
    throw new Error(`${name} reads as something else than it is written as: it cannot be one schema`)
  }
  for (const { name, endpoint } of bodies) input[name] = buildRequestSchema(input[name] ?? {}, endpoint)
  return { ...input, ...output }
}

export const formSchema = (form: z.ZodMiniType): JsonSchema =>
  z.toJSONSchema(form, { ...zodOptions, io: 'input' }) as JsonSchema

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly schema: JsonSchema
  readonly required: boolean
}

export function describeParameters(schema: Endpoint['params'], place: Parameter['in']): Parameter[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { ...zodOptions, io: 'input' }) as JsonSchema
  const requiredNames = new Set(required)
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    schema: property,
    required: requiredNames.has(name),
  }))
}
