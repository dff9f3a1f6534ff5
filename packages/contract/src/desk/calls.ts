import * as z from 'zod/mini'
import { callEnd, callReason, spokenCode } from '../calls.ts'
import { moment, noContent, userNumber, userNumberText, uuid } from '../protocol/wire.ts'
import { deskEndpoint } from './desk-endpoint.ts'
import { reasonText } from './reason.ts'

const deskCall = z.object({
  id: uuid,
  person: z.object({ id: userNumber, username: z.string() }),
  about: callReason,
  /** Null once the call has ended. */
  code: z.nullable(spokenCode),
  started_at: moment,
  expires_at: moment,
  confirmed_at: z.nullable(moment),
  ended_at: z.nullable(moment),
  ended_by: z.nullable(callEnd),
})
export type DeskCall = z.output<typeof deskCall>

/** `refused`: the user said that an operator's call was not right; `impostor`: somebody else claimed to be from Tern. */
const callAlert = z.object({
  id: uuid,
  kind: z.enum(['refused', 'impostor']),
  person: z.object({ id: userNumber, username: z.string() }),
  /** Operator of a refused call; null for an impostor. */
  operator: z.nullable(z.string()),
  about: z.nullable(callReason),
  raised_at: moment,
})
export type CallAlert = z.output<typeof callAlert>

export const startCall = deskEndpoint({
  method: 'POST',
  path: '/people/:id/calls',
  summary: 'Show a user in the app that this operator is calling, with the code to say first. Ends by itself.',
  access: 'operator',
  act: 'calls',
  params: z.object({ id: userNumberText }),
  body: z.object({ about: callReason }),
  reply: deskCall,
  refusals: ['not_found', 'desk_involved', 'desk_call_open', 'rate_limited'],
})

export const readOwnCall = deskEndpoint({
  method: 'GET',
  path: '/calls/own',
  summary: "The operator's latest call of the last hour, and the number of unseen alerts about calls.",
  access: 'operator',
  act: 'calls',
  isAutomatic: true,
  reply: z.object({ call: z.nullable(deskCall), alerts: z.int() }),
})

export const endCall = deskEndpoint({
  method: 'POST',
  path: '/calls/:id/end',
  summary: "End the operator's own call. Idempotent.",
  access: 'operator',
  act: 'calls',
  params: z.object({ id: uuid }),
  ...noContent,
  refusals: ['not_found'],
})

export const listCallAlerts = deskEndpoint({
  method: 'GET',
  path: '/calls/alerts',
  summary: 'Unseen alerts of users about calls, oldest first. Logged.',
  access: 'operator',
  act: 'calls',
  reply: z.object({ alerts: z.array(callAlert) }),
})

export const closeCallAlert = deskEndpoint({
  method: 'POST',
  path: '/calls/alerts/:id/seen',
  summary: 'Close an alert, with what was done about it. The operator of the refused call may not close it.',
  access: 'operator',
  act: 'calls',
  params: z.object({ id: uuid }),
  body: z.object({ reason: reasonText }),
  ...noContent,
  refusals: ['not_found', 'desk_involved'],
})
