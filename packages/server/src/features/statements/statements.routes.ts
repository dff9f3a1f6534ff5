import { Readable } from 'node:stream'
import * as contract from '@tern/contract/statements'
import type { Issuer } from '@tern/contract/transactions'
import type { CurrencyCode } from '@tern/money/currency'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Db } from '../../platform/database/db.ts'
import { limitPerAddress, limitPerUser } from '../../platform/http/rate-limits.ts'
import { type Caller, serve, serveReading } from '../../platform/http/serve.ts'
import { currentRequestMessages } from '../../platform/messages.ts'
import type { PaperSize } from '../../platform/paper/pdf-paper.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Seal } from '../../platform/seal.ts'
import { findWallet, type Wallet } from '../wallets/wallets.ts'
import { createCertificate, deleteCertificate, listCertificates, readCertificate } from './certificates/certificates.ts'
import { paperFile, readStatementPaper } from './files/paper-file.ts'
import { accountingRoutes } from './formats/accounting.routes.ts'
import { findContentType, streamFile } from './files/statement-file.ts'
import { readStatementMails, setStatementMails } from './mails/statement-mails.ts'
import { type PeriodRequest, resolvePeriod } from './period.ts'
import { readPage } from './statement-page.ts'
import type { StatementInput } from './statement.ts'

// Per minute.
const pagesPerUser = 120
const filesPerUser = 30
const defaultPageSize = 50

const daySeconds = 86_400
const certificatesPerDay = 20
const verificationsPerAddress = 30

interface RouteParts {
  readonly now: () => Date
  readonly issuer: Issuer
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly publicUrl: string
}

/** Serves `/statements` and `/certificates`: statements of the caller's wallet, and certificates of its balances. */
export function statementsRoutes(app: FastifyInstance, parts: RouteParts): void {
  serveStatements(app, parts)
  accountingRoutes(app, parts)
  serveMailChoice(app, parts)
  serveCertificates(app, parts)
}

function serveStatements(app: FastifyInstance, { now, issuer }: RouteParts): void {
  const limitPages = limitPerUser(app, 'statement', pagesPerUser)
  const limitFiles = limitPerUser(app, 'statement-file', filesPerUser)

  async function readInput(
    db: Db,
    { userId }: Caller,
    query: PeriodRequest & { readonly currency: CurrencyCode },
  ): Promise<StatementInput & { readonly wallet: Wallet }> {
    const period = resolvePeriod(query, now())
    const wallet = (await findWallet(db, userId)) ?? refuse('not_found')
    return { wallet, currency: query.currency, period }
  }

  serveReading(
    app,
    contract.readStatement,
    async ({ query, caller, db }) => {
      const input = await readInput(db, caller, query)
      const { limit = defaultPageSize, cursor } = query
      return readPage({ issuer }, db, { ...input, limit, cursor, messages: currentRequestMessages() })
    },
    limitPages,
  )

  serveReading(
    app,
    contract.statementFile,
    async ({ query, caller, reply, db }) => {
      const input = await readInput(db, caller, query)
      const { format } = query
      const messages = currentRequestMessages()
      const { from, to } = input.period
      const name = `${messages.statements.fileName({ currency: input.currency, from, to })}.${format}`
      void reply.header('content-disposition', attachment(name)).type(findContentType(format))
      const source = { ...input, db, issuer, messages }
      if (format !== 'pdf') return streamFile(format, source)
      const paper = await readStatementPaper(source)
      const size = choosePaper(query.paper, input.wallet)
      return Readable.from([await paperFile(caller.userId, { paper, language: messages.language.code, size })])
    },
    limitFiles,
  )
}

function serveMailChoice(app: FastifyInstance, { now, pool }: RouteParts): void {
  serveReading(app, contract.statementMails, ({ caller, db }) => readStatementMails(db, caller.userId))
  serve(app, contract.setStatementMails, ({ caller, body }) =>
    setStatementMails(pool, { userId: caller.userId, isOn: body.is_on, timeZone: body.time_zone, at: now() }),
  )
}

function serveCertificates(app: FastifyInstance, parts: RouteParts): void {
  const { pool, publicUrl } = parts
  const limitCertificates = limitPerUser(app, 'certificate', certificatesPerDay, daySeconds)
  const limitVerifications = limitPerAddress(app, 'certificate-code', verificationsPerAddress)

  serve(app, contract.createCertificate, async ({ caller, body, request }) => {
    await limitCertificates(request)
    return createCertificate(parts, pool, { caller, date: body.date, timeZone: body.time_zone })
  })
  serveReading(app, contract.ownCertificates, ({ caller, db }) => listCertificates(parts, db, caller.userId))
  // The primary answers, so that a deleted certificate is gone at once.
  serve(app, contract.verifyCertificate, async ({ params, request }) => {
    await limitVerifications(request)
    return readCertificate(parts, pool, { code: params.code })
  })
  const limitFiles = limitPerUser(app, 'certificate-file', filesPerUser)
  serveReading(
    app,
    contract.certificateFile,
    async ({ caller, params, query, reply, db }) => {
      const certificate = await readCertificate(parts, db, { code: params.code, userId: caller.userId })
      const wallet = (await findWallet(db, caller.userId)) ?? refuse('not_found')
      const { statements, language } = currentRequestMessages()
      const name = `${statements.certificate.fileName({ date: certificate.date })}.pdf`
      void reply.header('content-disposition', attachment(name))
      const size = choosePaper(query.paper, wallet)
      return paperFile(caller.userId, { certificate, publicUrl, language: language.code, size })
    },
    limitFiles,
  )
  serve(app, contract.deleteCertificate, ({ caller, params }) =>
    deleteCertificate(pool, { code: params.code, userId: caller.userId }),
  )
}

/** Base currencies of the countries that use Letter paper. */
const letterCurrencies: ReadonlySet<string> = new Set(['USD', 'CAD'])

/** Paper that was asked for, otherwise the usual one where the wallet's base currency is. */
const choosePaper = (asked: 'a4' | 'letter' | undefined, { baseCurrency }: Pick<Wallet, 'baseCurrency'>): PaperSize =>
  (asked ?? (letterCurrencies.has(baseCurrency) ? 'letter' : 'a4')) === 'letter' ? 'LETTER' : 'A4'

/** `Content-Disposition` header for a download with this file name. Older browsers read its ASCII form only. */
const attachment = (name: string): string =>
  `attachment; filename="${name.replaceAll(/[^\w. -]/g, '')}"; filename*=UTF-8''${encodeURIComponent(name)}`
