import * as z from 'zod/mini'
import { allEndpoints, namedSchemas } from '../endpoints.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { buildStrictBody } from '../protocol/strict-body.ts'

/** Subset of JSON Schema (2020-12) used by the reference and its examples. */
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

export const schemaRef = (name: string): string => `#/components/schemas/${name}`

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

export const requestName = (operation: string): string => `${capital(operation)}Request`

const named = Object.fromEntries(namedSchemas.toSorted(([one], [other]) => (one < other ? -1 : 1)))
if (Object.keys(named).length < namedSchemas.length) throw new Error('two schemas of the API reference have one name')

const nameOf = new Map(Object.entries(named).map(([name, schema]) => [schema, name]))

/** Returns the schema name of an endpoint's reply: that of a shared schema, or its own. */
export const replyName = (operation: string, { reply }: Endpoint): string =>
  nameOf.get(reply) ?? `${capital(operation)}Reply`

/** Reports whether an endpoint's reply has no schema. */
export const isEmptyReply = ({ status, file }: Endpoint): boolean => status === 204 || file !== undefined

const fromZod = {
  unrepresentable: 'any',
  /** Drops patterns that the format already implies, and allows additional fields in replies. */
  override({ jsonSchema }: { jsonSchema: unknown }) {
    const schema = jsonSchema as JsonSchema
    if (schema.format !== undefined) delete schema.pattern
    if (schema.additionalProperties === false) delete schema.additionalProperties
  },
} as const

/** Converts all schemas of a registry by name; they refer to each other. */
function written(schemas: Readonly<Record<string, z.ZodMiniType>>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [name, schema] of Object.entries(schemas)) registry.add(schema, { id: name })
  const { schemas: made } = z.toJSONSchema(registry, { ...fromZod, io, uri: schemaRef })
  const found = made as Record<string, JsonSchema>
  for (const schema of Object.values(found)) {
    delete schema.$id
    delete schema.$schema
  }
  return found
}

/** Returns a body schema for callers: without fields that are always refused or ignored. */
function requestSchema(schema: JsonSchema, { body }: Endpoint): JsonSchema {
  const own = new Set(Object.keys((body as z.ZodMiniObject | undefined)?.shape ?? {}))
  const properties = Object.entries(schema.properties ?? {}).filter(([name, { not }]) => own.has(name) && !not)
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false }
}

/** Returns all named schemas of the reference: those that several calls share, every body and every reply. */
export function referenceSchemas(): Record<string, JsonSchema> {
  const endpoints = Object.entries(allEndpoints as Readonly<Record<string, Endpoint>>)
  const replies = endpoints.flatMap(([operation, endpoint]) =>
    isEmptyReply(endpoint) || nameOf.has(endpoint.reply)
      ? []
      : // A copy, since several endpoints may share one schema.
        [[replyName(operation, endpoint), endpoint.reply.clone()] as const],
  )
  const bodies = endpoints.flatMap(([operation, endpoint]) => {
    const body = buildStrictBody(endpoint)
    return body ? [{ name: requestName(operation), body, endpoint }] : []
  })
  const output = written({ ...named, ...Object.fromEntries(replies) }, 'output')
  const input = written({ ...named, ...Object.fromEntries(bodies.map(({ name, body }) => [name, body])) }, 'input')
  for (const name of Object.keys(named)) {
    if (JSON.stringify(input[name]) === JSON.stringify(output[name])) continue
    throw new Error(`${name} reads as something else than it is written as: it cannot be one schema`)
  }
  for (const { name, endpoint } of bodies) input[name] = requestSchema(input[name] ?? {}, endpoint)
  return { ...input, ...output }
}

export const formSchema = (form: z.ZodMiniType): JsonSchema =>
  z.toJSONSchema(form, { ...fromZod, io: 'input' }) as JsonSchema

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly schema: JsonSchema
  readonly required: boolean
}

export function describeParameters(schema: Endpoint['params'], place: Parameter['in']): Parameter[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { ...fromZod, io: 'input' }) as JsonSchema
  const needed = new Set(required)
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    schema: property,
    required: needed.has(name),
  }))
}
