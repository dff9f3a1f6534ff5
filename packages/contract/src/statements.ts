import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { withCode } from './protocol/field-problems.ts'
import { currency, decimal, moment, noContent, text, userNumber, uuid } from './protocol/wire.ts'
import { issuer } from './transactions.ts'

/** Longest period of a statement. */
export const maxStatementYears = 10
/** Most lines of a statement as a PDF. */
export const maxPrintedLines = 2000

const shownDay = z.iso.date()
const day = z.iso.date(withCode('not_a_date')).check(z.refine((text) => text.startsWith('20'), withCode('not_a_date')))

/** Period of a statement in days of a time zone, both ends included. */
export const statementPeriod = z.object({
  from: shownDay,
  to: shownDay,
  /** Name in the IANA database, such as Europe/Paris. */
  time_zone: z.string(),
  /** First instant of the period, and the first one after it. */
  starts_at: moment,
  ends_at: moment,
  /** Instant up to which the statement is complete: the end of the period or, before that, the time of the request. */
  as_of: moment,
  /** True once the period has ended: the statement then never changes. */
  is_final: z.boolean(),
})
export type StatementPeriod = z.output<typeof statementPeriod>

/**
 * `put_on_hold` and `released_from_hold`: money reserved for a transfer or an order, and money that came back from
 * there. `refund`: money of a withdrawal, of a disputed transaction or of a payment that was returned to the wallet or
 * from it. `chargeback`: a card or bank payment that was reversed, or returned to us. `correction`: repaid losses and
 * provisional credit taken back.
 */
export const statementLineKind = z.enum([
  'sent',
  'received',
  'deposit',
  'withdrawal',
  'exchanged_out',
  'exchanged_in',
  'fee',
  'fee_returned',
  'put_on_hold',
  'released_from_hold',
  'refund',
  'chargeback',
  'correction',
])
export type StatementLineKind = z.output<typeof statementLineKind>

/** Change of the available balance. Fees have lines of their own. */
export const statementLine = z.object({
  /** Never changes: the ledger's posting, and the number of the line in it. Unique within a currency. */
  id: z.string(),
  at: moment,
  kind: statementLineKind,
  /** Status of the transaction at the end of the period. */
  status: z.enum(['completed', 'pending', 'failed']),
  /** Short reference of the transaction, such as TRN-8F41-D2K7-06DP. */
  reference: z.nullable(z.string()),
  transaction_id: z.nullable(uuid),
  counterparty: z.nullable(z.object({ id: userNumber, username: z.string(), name: z.nullable(z.string()) })),
  description: z.string(),
  /** Signed. */
  amount: decimal,
  /** Available balance after the line. */
  balance: decimal,
  /** Amount on the other side of a conversion; null within one currency. */
  original_amount: z.nullable(decimal),
  original_currency: z.nullable(currency),
  /** Units of the target currency for one unit of the source currency. */
  rate: z.nullable(decimal),
})
export type StatementLine = z.output<typeof statementLine>

/** Opening plus `money_in`, less `money_out`, `fees` and `put_on_hold`, is the closing balance. */
export const statementTotals = z.object({
  lines: z.int(),
  money_in: decimal,
  money_out: decimal,
  /** Fees less returned fees. */
  fees: decimal,
  /** Amount put on hold, less the amount released from hold. */
  put_on_hold: decimal,
})
export type StatementTotals = z.output<typeof statementTotals>

export const statementHead = z.object({
  issuer,
  holder: z.object({ id: userNumber, username: z.string(), name: z.nullable(z.string()) }),
  currency,
  period: statementPeriod,
  /** Available balances at the start and at the end of the period. */
  opening_balance: decimal,
  closing_balance: decimal,
  /** Amount on hold at the end of the period, in addition to the available balance. */
  on_hold: decimal,
})
export type StatementHead = z.output<typeof statementHead>

export const periodFields = {
  /** Month (2026-11), quarter (2026-Q4) or year (2026); instead of `from` and `to`. */
  period: z.optional(z.string().check(z.regex(/^20\d\d(-(0[1-9]|1[0-2]|Q[1-4]))?$/, withCode('not_a_period')))),
  from: z.optional(day),
  to: z.optional(day),
  /** UTC by default. */
  time_zone: z.optional(text(60)),
}

const periodQuery = { currency, ...periodFields }

const pageSize = z.pipe(
  z.string().check(z.regex(/^\d{1,3}$/, withCode('not_a_whole_number'))),
  z.pipe(z.transform(Number), z.int().check(z.minimum(1), z.maximum(500))),
)

export const readStatement = endpoint({
  method: 'GET',
  path: '/statements',
  summary:
    'Statement of the available balance in one currency, page by page, oldest line first. The period is a month, quarter or year, or two dates at most ten years apart.',
  access: 'session',
  query: z.object({ ...periodQuery, limit: z.optional(pageSize), cursor: z.optional(z.string()) }),
  reply: z.object({
    statement: statementHead,
    /** Null on later pages, and for periods with more than 20,000 changes of the balance; files have them always. */
    totals: z.nullable(statementTotals),
    lines: z.array(statementLine),
    /** Null on the last page. */
    next_cursor: z.nullable(z.string()),
  }),
  refusals: ['rate_limited'],
})

/** Formats of statement files. */
export const statementFileFormats = ['csv', 'json', 'pdf'] as const
export type StatementFileFormat = (typeof statementFileFormats)[number]

export const statementFile = endpoint({
  method: 'GET',
  path: '/statements/file',
  summary:
    'The same statement as a file. A PDF has at most 2,000 lines; beyond, choose another format or a shorter period.',
  access: 'session',
  query: z.object({
    ...periodQuery,
    format: z.enum(statementFileFormats),
    paper: z.optional(z.enum(['a4', 'letter'])),
  }),
  reply: z.custom<AsyncIterable<Uint8Array>>(),
  file: 'application/octet-stream',
  refusals: ['statement_too_long', 'rate_limited'],
})

/** Facts that a certificate of balance states, as they were when it was made. */
export const certificateShape = z.object({
  /** Code by which anyone can verify the certificate, such as 4H8K2-7QWXM-N0V3T-B6E9R. */
  code: z.string(),
  issuer,
  /** Verified name of the account holder. */
  holder: z.string(),
  /** Last day that the balances include, in this time zone. */
  date: day,
  time_zone: z.string(),
  /** Instant of the balances: the end of the day or, on the same day, the time of the request. */
  as_of: moment,
  /** All balances; those in a currency that the account never had are missing. */
  balances: z.array(z.object({ currency, available: decimal, on_hold: decimal })),
  created_at: moment,
})
export type Certificate = z.output<typeof certificateShape>

export const createCertificate = endpoint({
  method: 'POST',
  path: '/certificates',
  summary:
    "Certify the caller's balances at the end of a day, by default today. Anyone who gets its code can verify it for five years, until the caller deletes it. At most twenty a day.",
  access: 'session',
  body: z.object({ date: z.optional(day), time_zone: z.optional(text(60)) }),
  status: 201,
  reply: certificateShape,
  refusals: ['verification_required', 'rate_limited'],
})

export const ownCertificates = endpoint({
  method: 'GET',
  path: '/certificates',
  summary: "The caller's certificates of balance, newest first; at most 200.",
  access: 'session',
  reply: z.array(certificateShape),
})

const certificateCode = z.object({ code: z.string().check(z.maxLength(60, withCode('too_long'))) })

export const verifyCertificate = endpoint({
  method: 'GET',
  path: '/certificates/:code',
  summary: 'What the certificate with this code states. Deleted certificates are not found, like unknown codes.',
  access: 'public',
  params: certificateCode,
  reply: certificateShape,
  refusals: ['not_found', 'rate_limited'],
})

export const certificateFile = endpoint({
  method: 'GET',
  path: '/certificates/:code/certificate.pdf',
  summary: "One of the caller's own certificates as a tagged PDF.",
  access: 'session',
  params: certificateCode,
  query: z.object({ paper: z.optional(z.enum(['a4', 'letter'])) }),
  reply: z.custom<Uint8Array>(),
  file: 'application/pdf',
  refusals: ['not_found', 'rate_limited'],
})

export const deleteCertificate = endpoint({
  method: 'DELETE',
  path: '/certificates/:code',
  summary: "Delete one of the caller's own certificates. Its code then verifies nothing.",
  access: 'session',
  params: certificateCode,
  ...noContent,
  refusals: ['not_found'],
})

const statementMailsShape = z.object({
  is_on: z.boolean(),
  /** Time zone in which months end; null while the mails are off. */
  time_zone: z.nullable(z.string()),
  /** Month that the next mail is about, such as 2026-11; null while the mails are off. */
  next_month: z.nullable(z.string()),
})
export type StatementMails = z.output<typeof statementMailsShape>

export const statementMails = endpoint({
  method: 'GET',
  path: '/statements/mails',
  summary: "Whether the caller gets an email when a month's statement is complete.",
  access: 'session',
  reply: statementMailsShape,
})

export const setStatementMails = endpoint({
  method: 'PUT',
  path: '/statements/mails',
  summary:
    "Turn on or off the email about each month's statement, from the current month on. Months end in `time_zone`, by default UTC.",
  access: 'session',
  body: z.object({ is_on: z.boolean(), time_zone: z.optional(text(60)) }),
  reply: statementMailsShape,
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Certificate: certificateShape,
  StatementHead: statementHead,
  StatementLine: statementLine,
  StatementLineKind: statementLineKind,
  StatementPeriod: statementPeriod,
  StatementTotals: statementTotals,
}
