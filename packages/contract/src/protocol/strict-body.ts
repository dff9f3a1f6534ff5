import * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'
import { userNumber } from './wire.ts'

/**
 * Fields that older clients send with any body. The session determines the caller and the server the price: user
 * numbers must be the caller's own, and the other fields are ignored.
 */
const legacyFields = {
  userId: z.optional(userNumber),
  sender_id: z.optional(userNumber),
  fee: z.optional(z.unknown()),
  skip_sender_deduction: z.optional(z.unknown()),
}

/** Legacy fields that must equal the caller's user number. */
export const callerFields = ['userId', 'sender_id'] as const

const isObject = (schema: z.ZodMiniType): schema is z.ZodMiniObject => schema.def.type === 'object'

const listLegacyFields = (endpoint: Endpoint): Readonly<Record<string, z.ZodMiniType>> =>
  endpoint.access === 'session' ? legacyFields : {}

/** Returns the body schema that the server applies: it refuses fields that are neither declared nor legacy. */
export function buildStrictBody(endpoint: Endpoint): z.ZodMiniType | undefined {
  const { body } = endpoint
  if (body === undefined || !isObject(body)) return body
  const shape = { ...listLegacyFields(endpoint), ...body.shape }
  // A clone keeps the checks on the whole body.
  return body.clone({ ...body.def, shape, catchall: z.never() })
}

/** Removes undeclared legacy fields from a body parsed by `buildStrictBody`. */
export function dropLegacyFields(endpoint: Endpoint, body: unknown): unknown {
  const { body: schema } = endpoint
  if (schema === undefined || !isObject(schema) || typeof body !== 'object' || body === null) return body
  const isDeclared = (name: string) => Object.hasOwn(schema.shape, name)
  if (Object.keys(body).every(isDeclared)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => isDeclared(name)))
}
