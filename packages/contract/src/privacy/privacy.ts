import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { moment } from '../protocol/wire.ts'
import { correctableField } from './correctable-field.ts'
import { correctionForm } from './correction-form.ts'

/** Categories of personal data held. Their texts are in the page's messages. */
export const dataCategory = z.enum([
  'account',
  'identity',
  'money',
  'instruments',
  'plans',
  'people',
  'logins',
  'limits',
  'messages',
  'privacy',
])
export type DataCategory = z.output<typeof dataCategory>

/** Legal basis (GDPR, article 6): contract, law, legitimate interest in fraud prevention, or consent. */
const legalBasis = z.enum(['contract', 'law', 'protection', 'consent'])
const origin = z.enum(['person', 'product', 'both'])
/** Retention period, named after the event or time that ends it. */
export const retention = z.enum([
  'until_account_ends',
  'five_years_after_end',
  'as_long_as_the_books',
  'until_removed',
  'two_years',
  'four_hundred_days',
  'ninety_days',
])
/** Where to correct the data: in the profile, in the settings, or by a request; `none` for records of past events. */
const correction = z.enum(['profile', 'settings', 'request', 'none'])

export const heldDataShape = z.object({
  category: dataCategory,
  origin,
  basis: legalBasis,
  retention,
  correct: correction,
  entries: z.int(),
  /** Time of the oldest entry; null if the entries have no time. */
  since: z.nullable(moment),
})
export type HeldData = z.output<typeof heldDataShape>

export const consentDocument = z.enum(['terms', 'privacy', 'mail_payments', 'mail_requests'])
export type ConsentDocument = z.output<typeof consentDocument>

export const consentShape = z.object({
  document: consentDocument,
  /** Consent in force; null if never given, or if withdrawn. `version` is null for mails. */
  given: z.nullable(z.object({ version: z.nullable(z.int()), at: z.nullable(moment) })),
  withdrawn_at: z.nullable(moment),
  /** Version in force; null for mails. */
  current_version: z.nullable(z.int()),
  /** True if consent can be withdrawn without closing the account. */
  can_withdraw: z.boolean(),
})
export type Consent = z.output<typeof consentShape>

/** Role that accessed a person's data; `you` is the person. */
export const accessRole = z.enum(['you', 'operator', 'reviewer', 'investigator', 'support', 'auditor'])
export const accessPurpose = z.enum([
  'export',
  'own_document',
  'held_transfers',
  'travel_rule',
  'verification',
  'case',
  'dispute',
  'correction',
  'retained_identity',
  'support',
  'legal_request',
])
export const accessedData = z.enum([
  'everything',
  'name',
  'email',
  'identity',
  'documents',
  'numbers',
  'address',
  'payments',
  'balances',
  'instruments',
  'logins',
  'messages',
  'corrections',
])

export const dataAccessShape = z.object({
  id: z.uuid(),
  at: moment,
  role: accessRole,
  /** Pseudonym of the operator; null if the person accessed their own data. */
  operator: z.nullable(z.string()),
  purpose: accessPurpose,
  what: z.array(accessedData),
})
export type DataAccess = z.output<typeof dataAccessShape>

export const correctionShape = z.object({
  id: z.uuid(),
  field: correctableField,
  right_value: z.string(),
  note: z.string(),
  state: z.enum(['open', 'corrected', 'declined']),
  created_at: moment,
  /** Deadline of the decision, at most 30 days after the request (GDPR, article 12(3)). */
  due_at: moment,
  decided_at: z.nullable(moment),
  /** The operator's comment on the decision. */
  answer: z.nullable(z.string()),
})
export type Correction = z.output<typeof correctionShape>

export const privacyOverview = endpoint({
  method: 'GET',
  path: '/user/privacy',
  summary: 'Data held about the caller with basis and retention, their consents, and the corrections they requested.',
  access: 'session',
  reply: z.object({
    held: z.array(heldDataShape),
    consents: z.array(consentShape),
    corrections: z.array(correctionShape),
  }),
})

export const dataAccesses = endpoint({
  method: 'GET',
  path: '/user/privacy/accesses',
  summary: 'Accesses to the caller’s data, newest first; `before` is the id of the last one read.',
  access: 'session',
  query: z.object({ before: z.optional(z.uuid()) }),
  reply: z.object({ accesses: z.array(dataAccessShape), has_more: z.boolean() }),
})

export const exportData = endpoint({
  method: 'GET',
  path: '/user/privacy/export',
  summary:
    'All data held about the caller as a ZIP archive with one file for each kind of data, in JSON or CSV. Needs a step-up confirmation; at most five times a day.',
  access: 'session',
  query: z.object({ format: z.enum(['json', 'csv']) }),
  stepUp: 'accepted',
  reply: z.custom<AsyncIterable<Uint8Array>>(),
  file: 'application/zip',
  refusals: ['rate_limited'],
})

export const agreeToDocument = endpoint({
  method: 'POST',
  path: '/user/privacy/consents',
  summary: 'Agree to the version of a legal page that is in force.',
  access: 'session',
  body: z.object({ document: z.enum(['terms', 'privacy']), version: z.int().check(z.positive()) }),
  reply: consentShape,
  refusals: ['document_changed'],
})

export const askForCorrection = endpoint({
  method: 'POST',
  path: '/user/privacy/corrections',
  summary: 'Request the correction of a verified detail. It is decided within 30 days.',
  access: 'session',
  body: correctionForm,
  status: 201,
  reply: correctionShape,
  refusals: ['correction_open', 'rate_limited'],
})

const deletionObstacle = z.object({
  code: z.enum([
    'balance',
    'on_hold',
    'transfer_open',
    'incoming_open',
    'payment_open',
    'payout_open',
    'payout_recent',
    'order_open',
    'schedule_open',
    'request_open',
    'case_open',
    'check_open',
    'dispute_open',
    'verification_running',
  ]),
  count: z.int(),
  /** Only for balances: each amount with its currency. */
  amounts: z.array(z.object({ amount: z.string(), currency: z.string() })),
})
export type DeletionObstacle = z.output<typeof deletionObstacle>

export const deletionState = endpoint({
  method: 'GET',
  path: '/user/privacy/deletion',
  summary:
    'Obstacles to deleting the caller’s account, when it would be deleted, and until when the law requires us to retain their identity.',
  access: 'session',
  reply: z.object({
    obstacles: z.array(deletionObstacle),
    /** Time of the deletion if it is requested now. A login before that time cancels it. */
    due_at: moment,
    /** End of the retention of identity data; null if the account holder was never verified. */
    identity_kept_until: z.nullable(moment),
  }),
})

export const deleteAccount = endpoint({
  method: 'DELETE',
  path: '/user/privacy/account',
  summary:
    'Begin to delete the caller’s account: every session ends, and nobody can find, pay or ask it any more. It is deleted at `due_at`, unless its owner logs in before. Needs a step-up confirmation, and is refused while money or anything else is open.',
  access: 'session',
  stepUp: 'accepted',
  reply: z.object({ due_at: moment }),
  refusals: ['account_not_empty', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Consent: consentShape,
  ConsentDocument: consentDocument,
  CorrectableField: correctableField,
  Correction: correctionShape,
  DataAccess: dataAccessShape,
  DataCategory: dataCategory,
  HeldData: heldDataShape,
}
