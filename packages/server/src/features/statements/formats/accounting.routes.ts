import { Readable } from 'node:stream'
import * as contract from '@tern/contract/statements/accounting'
import * as tax from '@tern/contract/statements/tax-summary'
import type { Issuer } from '@tern/contract/transactions'
import type { FastifyInstance } from 'fastify'
import type { AppUserRow } from '../../identity/row-types.ts'
import { type Db, onlyRow } from '../../../platform/database/db.ts'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { type Caller, serveReading } from '../../../platform/http/serve.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { refuse } from '../../../platform/refuse.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { collectPieces } from '../files/statement-file.ts'
import { type Period, type PeriodRequest, resolvePeriod } from '../period.ts'
import { readMovements, readOpening } from '../read-movements.ts'
import { writeTaxCsv } from '../tax/tax-csv.ts'
import { readTaxSummary } from '../tax/tax-summary.ts'
import { writeCamt053 } from './bank/camt053.ts'
import { writeOfx } from './bank/ofx.ts'
import { readBankAccounts } from './bank/read-accounts.ts'
import { writeBeancount } from './journal/beancount.ts'
import { writeHledger } from './journal/hledger.ts'

// Per minute.
const filesPerUser = 30
const taxSummariesPerUser = 10

const bankFormats = {
  camt053: { write: writeCamt053, contentType: 'application/xml; charset=utf-8', extension: 'xml' },
  ofx: { write: writeOfx, contentType: 'application/x-ofx; charset=utf-8', extension: 'ofx' },
} as const satisfies Record<contract.BankFileFormat, object>

const journalFormats = {
  hledger: { write: writeHledger, extension: 'journal' },
  beancount: { write: writeBeancount, extension: 'beancount' },
} as const satisfies Record<contract.JournalFormat, object>

const taxContentTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const

interface RouteParts {
  readonly now: () => Date
  readonly issuer: Issuer
}

const attachment = (period: Pick<Period, 'from' | 'to'>, extension: string): string =>
  `attachment; filename="tern-${period.from}-${period.to}.${extension}"`

const stream = (texts: AsyncIterable<string> | Iterable<string>): Readable =>
  Readable.from(collectPieces(texts), { objectMode: false })

/** Serves files for accountants below `/statements`. */
export function accountingRoutes(app: FastifyInstance, parts: RouteParts): void {
  serveBankFile(app, parts)
  serveJournal(app, parts)
  serveTaxSummary(app, parts)
}

const findOwnWallet = async (db: Db, { userId }: Caller) => (await findWallet(db, userId)) ?? refuse('not_found')

async function readHolder(db: Db, { userId }: Caller): Promise<string> {
  const { rows } = await db.query<Pick<AppUserRow, 'username' | 'name'>>(
    'select username, name from app_user where id = $1',
    [userId],
  )
  const { username, name } = onlyRow(rows)
  return name ?? username
}

function serveBankFile(app: FastifyInstance, { now, issuer }: RouteParts): void {
  serveReading(
    app,
    contract.bankFile,
    async ({ query, caller, reply, db }) => {
      const period = resolvePeriod(query, now())
      const wallet = await findOwnWallet(db, caller)
      const { write, contentType, extension } = bankFormats[query.format]
      const source = {
        walletId: wallet.id,
        holder: await readHolder(db, caller),
        issuer: issuer.name ?? 'Tern',
        period,
        messages: currentRequestMessages(),
        accounts: await readBankAccounts(db, { wallet, period, currency: query.currency }),
      }
      void reply.header('content-disposition', attachment(period, extension)).type(contentType)
      return stream(write(source))
    },
    limitPerUser(app, 'bank-file', filesPerUser),
  )
}

function serveJournal(app: FastifyInstance, { now }: RouteParts): void {
  serveReading(
    app,
    contract.journalFile,
    async ({ query, caller, reply, db }) => {
      const period = resolvePeriod(query, now())
      const wallet = await findOwnWallet(db, caller)
      const { write, extension } = journalFormats[query.format]
      const { startsAt: from, endsAt, asOf, timeZone } = period
      const source = {
        ...{ from, timeZone, until: period.isFinal ? endsAt : asOf },
        messages: currentRequestMessages(),
        opening: await readOpening(db, { wallet, at: from }),
        movements: readMovements(db, { wallet, from, until: endsAt }),
      }
      void reply.header('content-disposition', attachment(period, extension)).type('text/plain; charset=utf-8')
      return stream(write(source))
    },
    limitPerUser(app, 'journal-file', filesPerUser),
  )
}

function serveTaxSummary(app: FastifyInstance, { now }: RouteParts): void {
  const limit = limitPerUser(app, 'tax-summary', taxSummariesPerUser)

  async function readSummary(
    db: Db,
    caller: Caller,
    query: { readonly year: string } & Pick<PeriodRequest, 'time_zone'>,
  ) {
    const period = resolvePeriod({ period: query.year, time_zone: query.time_zone }, now())
    const wallet = await findOwnWallet(db, caller)
    const year = Number(query.year) // not money: a year
    return { period, summary: await readTaxSummary(db, { wallet, period, year, messages: currentRequestMessages() }) }
  }

  serveReading(
    app,
    tax.taxSummary,
    async ({ query, caller, db }) => (await readSummary(db, caller, query)).summary,
    limit,
  )
  serveReading(
    app,
    tax.taxSummaryFile,
    async ({ query, caller, reply, db }) => {
      const { period, summary } = await readSummary(db, caller, query)
      const { format } = query
      void reply.header('content-disposition', attachment(period, format)).type(taxContentTypes[format])
      return stream(format === 'csv' ? writeTaxCsv(summary) : [`${JSON.stringify(summary)}\n`])
    },
    limit,
  )
}
