import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { moment, noContent, uuid } from './protocol/wire.ts'

/** Reasons for a call by an operator. None of them reveals a compliance case, of which the law may forbid to tell. */
export const callReason = z.enum(['payment', 'verification', 'security', 'question', 'account'])
export type CallReason = z.output<typeof callReason>

/** `user`: the account holder said that it is not right; `time`: it lasted too long; `account`: the account was closed. */
export const callEnd = z.enum(['operator', 'user', 'time', 'account'])
export type CallEnd = z.output<typeof callEnd>

/** Code that the caller says to prove that the call is Tern's. The account holder never has to say one. */
export const spokenCode = z.string().check(z.regex(/^\d{6}$/))

const callFields = {
  id: uuid,
  /** Operator's first name. */
  caller: z.string(),
  about: callReason,
  started_at: moment,
  /** Time at which the account holder confirmed in the app that the caller said the code. */
  confirmed_at: z.nullable(moment),
}

const currentCall = z.object({ ...callFields, code: spokenCode, expires_at: moment })
export type CurrentCall = z.output<typeof currentCall>

const endedCall = z.object({ ...callFields, ended_at: moment, ended_by: callEnd })
export type EndedCall = z.output<typeof endedCall>

const callStatusShape = z.object({
  /** Call that an operator is making to the caller at this moment; null if no one from Tern is calling. */
  current: z.nullable(currentCall),
  /** Earlier calls of the last 400 days, newest first, at most fifty. */
  earlier: z.array(endedCall),
  /** Time of the answer by the server's clock. */
  checked_at: moment,
})
export type CallStatus = z.output<typeof callStatusShape>

export const callStatus = endpoint({
  method: 'GET',
  path: '/calls',
  summary: 'Whether an operator is calling the account holder now, and earlier calls.',
  access: 'session',
  reply: callStatusShape,
})

export const confirmCall = endpoint({
  method: 'POST',
  path: '/calls/:id/confirmation',
  summary: 'State that the caller said the code. Idempotent.',
  access: 'session',
  params: z.object({ id: uuid }),
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

export const refuseCall = endpoint({
  method: 'POST',
  path: '/calls/:id/refusal',
  summary: 'State that the current call is not right: ends it and alerts the operators.',
  access: 'session',
  params: z.object({ id: uuid }),
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

export const reportCall = endpoint({
  method: 'POST',
  path: '/calls/reports',
  summary: 'Report a call by somebody who claimed to be from Tern. Alerts the operators; once an hour counts.',
  access: 'session',
  ...noContent,
  refusals: ['rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  CallStatus: callStatusShape,
  CallReason: callReason,
}
