import * as z from 'zod/mini'
import { moment, noContent, uuid } from '../protocol/wire.ts'
import { deskEndpoint } from './desk-endpoint.ts'
import { deskActs, deskRoles } from './roles.ts'
import { reasonText } from './reason.ts'

/** Secret of an enrolment link. */
const token = z.string().check(z.regex(/^[\w-]{43}$/))

const enrolmentStart = z.object({ ceremony: uuid, options: z.record(z.string(), z.unknown()) })
const ceremonyFields = { ceremony: uuid, response: z.record(z.string(), z.unknown()) }

const role = z.enum(deskRoles)

const currentOperator = z.object({
  id: uuid,
  name: z.string(),
  roles: z.array(role),
  acts: z.array(z.enum(deskActs)),
  signed_in_at: moment,
})
export type CurrentOperator = z.output<typeof currentOperator>

const operator = z.object({
  id: uuid,
  name: z.string(),
  roles: z.array(role),
  created_at: moment,
  disabled_at: z.nullable(moment),
  passkeys: z.int(),
  last_used_at: z.nullable(moment),
})
export type Operator = z.output<typeof operator>

export const beginEnrolment = deskEndpoint({
  method: 'POST',
  path: '/enrolment/options',
  summary: 'Begin to add a passkey by the link that the command printed.',
  access: 'public',
  act: 'any',
  body: z.object({ token }),
  reply: z.extend(enrolmentStart, { name: z.string() }),
  refusals: ['link_invalid', 'rate_limited'],
})

export const finishEnrolment = deskEndpoint({
  method: 'POST',
  path: '/enrolment',
  summary: 'Add the passkey; the link cannot be used again.',
  access: 'public',
  act: 'any',
  body: z.object({ token, ...ceremonyFields }),
  ...noContent,
  refusals: ['link_invalid', 'passkey_invalid', 'rate_limited'],
})

export const beginSignIn = deskEndpoint({
  method: 'POST',
  path: '/session/options',
  summary: 'Begin to log in with a passkey.',
  access: 'public',
  act: 'any',
  reply: enrolmentStart,
  refusals: ['rate_limited'],
})

export const signIn = deskEndpoint({
  method: 'POST',
  path: '/session',
  summary: 'Log in; the session is a cookie.',
  access: 'public',
  act: 'any',
  body: z.object(ceremonyFields),
  reply: currentOperator,
  refusals: ['passkey_invalid', 'rate_limited'],
})

export const readMe = deskEndpoint({
  method: 'GET',
  path: '/session',
  summary: 'The logged-in operator with their permissions.',
  access: 'operator',
  act: 'any',
  reply: currentOperator,
})

export const signOut = deskEndpoint({
  method: 'DELETE',
  path: '/session',
  summary: 'End this session.',
  access: 'operator',
  act: 'any',
  ...noContent,
})

export const listOperators = deskEndpoint({
  method: 'GET',
  path: '/operators',
  summary: 'All operators, including disabled ones.',
  access: 'operator',
  act: 'operators',
  reply: z.object({ operators: z.array(operator) }),
})

export const disableOperator = deskEndpoint({
  method: 'POST',
  path: '/operators/:id/disable',
  summary: 'End all sessions of an operator.',
  access: 'operator',
  act: 'operators',
  params: z.object({ id: uuid }),
  body: z.object({ reason: reasonText }),
  ...noContent,
  refusals: ['not_found', 'desk_last_lead'],
})
