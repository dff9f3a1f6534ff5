import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { baseCurrency } from '../protocol/wire.ts'
import { periodFields } from '../statements.ts'

/** Formats of banks: ISO 20022 camt.053.001.08, and Open Financial Exchange 2.2. */
export const bankFileFormats = ['camt053', 'ofx'] as const
export type BankFileFormat = (typeof bankFileFormats)[number]

export const bankFile = endpoint({
  method: 'GET',
  path: '/statements/bank-file',
  summary:
    'Statements in a format of banks, one for each balance in a fiat currency. The formats cannot express cryptocurrencies, which journals contain.',
  access: 'session',
  query: z.object({
    ...periodFields,
    /** One balance only; all fiat currencies by default. */
    currency: z.optional(baseCurrency),
    format: z.enum(bankFileFormats),
  }),
  reply: z.custom<AsyncIterable<Uint8Array>>(),
  file: 'application/octet-stream',
  refusals: ['rate_limited'],
})

export const journalFormats = ['hledger', 'beancount'] as const
export type JournalFormat = (typeof journalFormats)[number]

export const journalFile = endpoint({
  method: 'GET',
  path: '/statements/journal',
  summary: 'Journal of the whole wallet in double entry, with an opening balance and the balances of every month.',
  access: 'session',
  query: z.object({ ...periodFields, format: z.enum(journalFormats) }),
  reply: z.custom<AsyncIterable<Uint8Array>>(),
  file: 'application/octet-stream',
  refusals: ['rate_limited'],
})
