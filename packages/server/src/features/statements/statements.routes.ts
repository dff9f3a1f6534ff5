import * as contract from '@tern/contract/statements'
import type { Issuer } from '@tern/contract/transactions'
import type { CurrencyCode } from '@tern/money/currency'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Db } from '../../platform/database/db.ts'
import { limitPerAddress, limitPerUser } from '../../platform/http/rate-limits.ts'
import { type Caller, serve, serveReading } from '../../platform/http/serve.ts'
import { currentRequestMessages } from '../../platform/messages.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Seal } from '../../platform/seal.ts'
import { findWallet } from '../wallets/wallets.ts'
import { createCertificate, deleteCertificate, listCertificates, readCertificate } from './certificates/certificates.ts'
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
  ): Promise<StatementInput> {
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
      if (format === 'pdf') return refuse('statement_too_long')
      return streamFile(format, { ...input, db, issuer, messages })
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
  const { pool } = parts
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
  serve(app, contract.deleteCertificate, ({ caller, params }) =>
    deleteCertificate(pool, { code: params.code, userId: caller.userId }),
  )
}

/** `Content-Disposition` header for a download with this file name. Older browsers read its ASCII form only. */
const attachment = (name: string): string =>
  `attachment; filename="${name.replaceAll(/[^\w. -]/g, '')}"; filename*=UTF-8''${encodeURIComponent(name)}`
