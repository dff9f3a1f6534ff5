import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { moment, requiredText, uuid } from '../protocol/wire.ts'

/** The longest answer or objection, in characters. */
export const longestCheckText = 2000

/** What is looked at: a name that a list may mean, or a payment. Where the law forbids to say more, always a payment. */
export const checkKind = z.enum(['name', 'payment'])

/** `confirmed`: what was suspected is true, and by law the money stays where it is or goes back to its sender. */
export const checkState = z.enum(['open', 'cleared', 'confirmed'])

/** What the person is asked for now. */
export const checkNeed = z.enum(['nothing', 'explanation', 'document'])

const objection = z.object({
  state: z.enum(['open', 'upheld', 'dismissed']),
  made_at: moment,
  /** By when somebody decides who has had nothing to do with the check. */
  decide_by: moment,
  decided_at: z.nullable(moment),
})

/** A check by people, because of which money waits, as whoever it concerns may read it. */
export const checkShape = z.object({
  id: uuid,
  kind: checkKind,
  state: checkState,
  need: checkNeed,
  /** Until when that is waited for; null while nothing is asked. */
  need_by: z.nullable(moment),
  /** By when an operator decides; a lead does when nobody has. */
  decide_by: moment,
  opened_at: moment,
  decided_at: z.nullable(moment),
  /** `limited`: the law forbids to tell more than that something is looked at. */
  telling: z.enum(['full', 'limited']),
  /** The latest one. */
  objection: z.nullable(objection),
  /** Whether the caller can object now. */
  may_object: z.boolean(),
  /** When the caller last answered what was asked. */
  answered_at: z.nullable(moment),
  /** The caller's transfers that wait or waited for it. */
  transfers: z.array(uuid),
  /** The caller’s request whose payment by somebody without an account waits or waited for it; null of all other checks. */
  request_id: z.nullable(uuid),
})
export type Check = z.output<typeof checkShape>

const params = z.object({ id: uuid })
const words = z.object({ text: requiredText(longestCheckText, 'missing') })

export const checks = endpoint({
  method: 'GET',
  path: '/checks',
  summary: 'The checks because of which the caller’s money waits, and the last ones that have ended, the newest first.',
  access: 'session',
  reply: z.array(checkShape),
})

export const answerCheck = endpoint({
  method: 'POST',
  path: '/checks/:id/answer',
  summary:
    'Answer what a check asks. Where it asks for a document, upload it first (`/kyc/documents`), and say here what it shows.',
  access: 'session',
  params,
  body: words,
  reply: checkShape,
  refusals: ['not_found', 'nothing_asked', 'file_missing', 'rate_limited'],
})

export const objectToCheck = endpoint({
  method: 'POST',
  path: '/checks/:id/objection',
  summary: 'Object to a check. Somebody decides who has had nothing to do with it.',
  access: 'session',
  params,
  body: words,
  reply: checkShape,
  refusals: ['not_found', 'objection_not_possible', 'rate_limited'],
})
