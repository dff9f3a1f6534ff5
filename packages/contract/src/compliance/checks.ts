import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { moment, requiredText, uuid } from '../protocol/wire.ts'

/** Maximum length of an answer or objection, in characters. */
export const maxCheckTextLength = 2000

/**
 * Subject of a check: a name that may match a list, or a payment. Also `payment` if the law forbids disclosing more.
 */
export const checkKind = z.enum(['name', 'payment'])

/** `confirmed`: the suspicion was confirmed; by law the money stays frozen or returns to its sender. */
export const checkState = z.enum(['open', 'cleared', 'confirmed'])

/** Information currently requested from the account holder. */
export const checkNeed = z.enum(['nothing', 'explanation', 'document'])

const objection = z.object({
  state: z.enum(['open', 'upheld', 'dismissed']),
  made_at: moment,
  /** Deadline for a decision by an operator who was not involved in the check. */
  decide_by: moment,
  decided_at: z.nullable(moment),
})

/** Compliance check that holds money, as shown to the account holder. */
export const checkShape = z.object({
  id: uuid,
  kind: checkKind,
  state: checkState,
  need: checkNeed,
  /** Deadline for the requested information; null while none is requested. */
  need_by: z.nullable(moment),
  /** Deadline for an operator's decision; afterwards a lead decides. */
  decide_by: moment,
  opened_at: moment,
  decided_at: z.nullable(moment),
  /** `limited`: by law, the account holder may only learn that a check is under way. */
  telling: z.enum(['full', 'limited']),
  /** Most recent objection. */
  objection: z.nullable(objection),
  may_object: z.boolean(),
  answered_at: z.nullable(moment),
  /** The caller's transfers that this check holds or held. */
  transfers: z.array(uuid),
  /** The caller’s request whose guest payment this check holds or held; null for all other checks. */
  request_id: z.nullable(uuid),
})
export type Check = z.output<typeof checkShape>

const params = z.object({ id: uuid })
const explanationFields = z.object({ text: requiredText(maxCheckTextLength, 'missing') })

export const checks = endpoint({
  method: 'GET',
  path: '/checks',
  summary: 'Open checks that hold the caller’s money, then recently closed ones, newest first.',
  access: 'session',
  reply: z.array(checkShape),
})

export const answerCheck = endpoint({
  method: 'POST',
  path: '/checks/:id/answer',
  summary:
    'Answer the question of a check. If it requires a document, upload it first (`/kyc/documents`), and describe it here.',
  access: 'session',
  params,
  body: explanationFields,
  reply: checkShape,
  refusals: ['not_found', 'nothing_asked', 'file_missing', 'rate_limited'],
})

export const objectToCheck = endpoint({
  method: 'POST',
  path: '/checks/:id/objection',
  summary: 'Object to a check. An operator who was not involved decides.',
  access: 'session',
  params,
  body: explanationFields,
  reply: checkShape,
  refusals: ['not_found', 'objection_not_possible', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Check: checkShape,
  CheckKind: checkKind,
  CheckNeed: checkNeed,
  CheckState: checkState,
}
