import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, currency, decimal, moment, requiredText, text, uuid } from '../protocol/wire.ts'
import { transactionShape } from '../transactions.ts'

/** Maximum length of a text about a dispute, in characters. */
export const maxDisputeTextLength = 2000

export const maxDisputeFiles = 10

/** Claim of a dispute: not authorized by the account holder, never arrived, or arrived with the wrong amount. */
export const disputeKind = z.enum(['unauthorized', 'not_received', 'wrong_amount'])
export type DisputeKind = z.output<typeof disputeKind>

export const disputeState = z.enum(['open', 'upheld', 'dismissed', 'withdrawn'])

/**
 * Reason for the outcome. `already_back`: the money had been returned without the dispute; `arrived`: it arrived while
 * the dispute was open; `not_founded`: the records contradict the claim.
 */
export const disputeOutcome = z.enum(['credited', 'already_back', 'arrived', 'not_founded', 'withdrawn'])

/** Information currently requested from the account holder. */
export const disputeNeed = z.enum(['explanation', 'document'])

/** `fee`: part of `amount` that refunds the fee or a share of it. */
const money = z.object({ amount: decimal, fee: decimal, currency })

/** Ledger movement of a dispute: provisional or final credit, its reversal, or later payment of a shortfall. */
const credit = z.object({
  kind: z.enum(['provisional', 'final', 'taken_back', 'repaid']),
  ...money.shape,
  at: moment,
  transaction_id: uuid,
})

const event = z.object({
  code: z.enum([
    'opened',
    'file_added',
    'asked_explanation',
    'asked_document',
    'answered',
    'credited_provisionally',
    'credit_waits',
    'credit_stopped',
    'extended',
    'upheld',
    'dismissed',
    'taken_back',
    'objected',
    'objection_upheld',
    'objection_dismissed',
    'withdrawn',
  ]),
  text: z.nullable(z.string()),
  at: moment,
})
export type DisputeEvent = z.output<typeof event>

export const disputeFileShape = z.object({
  id: uuid,
  content_type: z.enum(['image/jpeg', 'application/pdf']),
  /** In bytes. */
  size: z.int(),
  created_at: moment,
})
export type DisputeFile = z.output<typeof disputeFileShape>

const objection = z.object({
  state: z.enum(['open', 'upheld', 'dismissed']),
  made_at: moment,
  /** Deadline for a decision by an operator who was not involved in the dispute. */
  decide_by: moment,
  decided_at: z.nullable(moment),
})

export const disputeShape = z.object({
  id: uuid,
  kind: disputeKind,
  state: disputeState,
  outcome: z.nullable(disputeOutcome),
  statement: z.string(),
  /** Amount credited if the claim is upheld. */
  claimed: money,
  opened_at: moment,
  decide_by: moment,
  /** Time of the provisional credit unless decided by then; null if there is none, or while it is withheld. */
  credit_by: z.nullable(moment),
  /** True once the first deadline has passed: a lead decides by the later `decide_by`. */
  is_extended: z.boolean(),
  need: z.nullable(disputeNeed),
  need_by: z.nullable(moment),
  decided_at: z.nullable(moment),
  credits: z.array(credit),
  events: z.array(event),
  files: z.array(disputeFileShape),
  objection: z.nullable(objection),
  may_add: z.boolean(),
  may_withdraw: z.boolean(),
  may_object: z.boolean(),
  object_by: z.nullable(moment),
  /** SHA-256 of the frozen evidence, in hexadecimal. */
  evidence_hash: z.string(),
  transaction: transactionShape,
})
export type Dispute = z.output<typeof disputeShape>

const option = z.object({
  kind: disputeKind,
  /** Reason that this claim is not possible now; null if it is possible. */
  barred: z.nullable(z.enum(['not_possible', 'too_late', 'not_yet'])),
  open_until: moment,
  decide_by: moment,
  credit_by: z.nullable(moment),
  /** Amount credited if the claim is upheld; the maximum for a wrong amount. */
  claimable: money,
})
export type DisputeOption = z.output<typeof option>

export const disputeOptions = endpoint({
  method: 'GET',
  path: '/disputes/options/:id',
  summary:
    'The kinds of dispute that the caller can open about a transaction, their time limits, and the dates of a decision.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    transaction: transactionShape,
    dispute_id: z.nullable(uuid),
    options: z.array(option),
  }),
  refusals: ['not_found'],
})

export const newDispute = z.object({
  transaction_id: uuid,
  kind: disputeKind,
  statement: text(maxDisputeTextLength),
  /** Only for `wrong_amount`: whether `expected_amount` is the amount paid or the amount that arrived. */
  expected_side: z.optional(z.enum(['paid', 'arrived'])),
  expected_amount: z.optional(amountInput),
  /** Only for `unauthorized`: true if another person persuaded the account holder to make the payment. */
  was_asked: z.optional(z.boolean()),
  /** Only for `unauthorized`: freeze all outgoing money too. */
  freeze_account: z.optional(z.boolean()),
})

export const openDispute = endpoint({
  method: 'POST',
  path: '/disputes',
  summary: 'Dispute a transaction. Its records are preserved as evidence.',
  access: 'session',
  body: newDispute,
  status: 201,
  reply: disputeShape,
  refusals: [
    'not_found',
    'dispute_open',
    'dispute_not_possible',
    'dispute_too_late',
    'dispute_not_yet',
    'rate_limited',
  ],
})

export const disputes = endpoint({
  method: 'GET',
  path: '/disputes',
  summary: "The caller's disputes, newest first.",
  access: 'session',
  reply: z.object({ disputes: z.array(disputeShape) }),
})

const params = z.object({ id: uuid })
const disputeCall = { access: 'session', params, reply: disputeShape } as const
const textFields = z.object({ text: requiredText(maxDisputeTextLength, 'missing') })

export const readDispute = endpoint({
  method: 'GET',
  path: '/disputes/:id',
  summary: "One of the caller's disputes with its status.",
  ...disputeCall,
  refusals: ['not_found'],
})

export const answerDispute = endpoint({
  method: 'POST',
  path: '/disputes/:id/answer',
  summary: 'Answer a question, or add a statement, while the dispute is open.',
  ...disputeCall,
  body: textFields,
  refusals: ['not_found', 'dispute_closed', 'rate_limited'],
})

export const addDisputeFile = endpoint({
  method: 'POST',
  path: '/disputes/:id/files',
  summary:
    'Add a picture (JPEG, PNG, WebP) or a PDF, at most 10 MB, to an open dispute. Only its deciding operators can open it.',
  access: 'session',
  params,
  form: z.object({}),
  status: 201,
  reply: disputeFileShape,
  refusals: [
    'not_found',
    'dispute_closed',
    'file_missing',
    'file_empty',
    'file_too_large',
    'file_type_not_accepted',
    'file_not_readable',
    'image_too_large',
    'pdf_not_accepted',
    'too_many_documents',
    'rate_limited',
  ],
})

export const disputeFileContent = endpoint({
  method: 'GET',
  path: '/disputes/:id/files/:fileId',
  summary: 'A file that the caller added.',
  access: 'session',
  params: z.object({ id: uuid, fileId: uuid }),
  file: 'application/octet-stream',
  reply: z.unknown(),
  refusals: ['not_found'],
})

export const disputeEvidence = endpoint({
  method: 'GET',
  path: '/disputes/:id/evidence',
  summary: 'The records preserved when the dispute was opened, with their hash.',
  access: 'session',
  params,
  reply: z.object({
    /** SHA-256 of id, kind, statement and `facts_text`, joined by line feeds. */
    hash: z.string(),
    id: uuid,
    kind: disputeKind,
    statement: z.string(),
    facts_text: z.string(),
  }),
  refusals: ['not_found'],
})

export const withdrawDispute = endpoint({
  method: 'POST',
  path: '/disputes/:id/withdraw',
  summary: 'Withdraw an open dispute. A provisional credit is reversed.',
  ...disputeCall,
  refusals: ['not_found', 'dispute_closed', 'rate_limited'],
})

export const objectToDispute = endpoint({
  method: 'POST',
  path: '/disputes/:id/objection',
  summary: 'Object to a decision, once. An operator who was not involved decides.',
  ...disputeCall,
  body: textFields,
  refusals: ['not_found', 'dispute_no_objection', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Dispute: disputeShape,
  DisputeFile: disputeFileShape,
  DisputeKind: disputeKind,
  DisputeNeed: disputeNeed,
  DisputeOutcome: disputeOutcome,
  DisputeState: disputeState,
}
