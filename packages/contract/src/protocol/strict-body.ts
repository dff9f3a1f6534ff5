import * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'
import { userNumber } from './wire.ts'

/**
 * Fields that older callers send with any body. The session says who acts and the server what it costs, so a number must be
 * the caller's own and everything else means nothing.
 */
const known = {
  userId: z.optional(userNumber),
  sender_id: z.optional(userNumber),
  fee: z.optional(z.unknown()),
  skip_sender_deduction: z.optional(z.unknown()),
}

/** The known fields that must name the caller. */
export const callerFields = ['userId', 'sender_id'] as const

const isObject = (schema: z.ZodMiniType): schema is z.ZodMiniObject => schema.def.type === 'object'

const knownOf = (endpoint: Endpoint): Readonly<Record<string, z.ZodMiniType>> =>
  endpoint.access === 'session' ? known : {}

/** The body of an endpoint as the server reads it: fields that are neither its own nor known are refused. */
export function strictBodyOf(endpoint: Endpoint): z.ZodMiniType | undefined {
  const { body } = endpoint
  if (body === undefined || !isObject(body)) return body
  const shape = { ...knownOf(endpoint), ...body.shape }
  // Checks of the whole body stay.
  return body.clone({ ...body.def, shape, catchall: z.never() })
}

/** Takes known fields that the endpoint does not declare out of a body that was read by `strictBodyOf`. */
export function withoutKnown(endpoint: Endpoint, body: unknown): unknown {
  const { body: schema } = endpoint
  if (schema === undefined || !isObject(schema) || typeof body !== 'object' || body === null) return body
  const isDeclared = (name: string) => Object.hasOwn(schema.shape, name)
  if (Object.keys(body).every(isDeclared)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => isDeclared(name)))
}
