// The payments of a running test product with a provider whose books, and whose news about them, a test writes itself.

import { randomUUID } from 'node:crypto'
import type { ReportLine } from '@tern/providers/report/port'
import { createPayments, type Payments } from '../packages/server/src/features/payments/payments.ts'
import type { MoneyProvider } from '../packages/server/src/providers.ts'
import type { TestApp } from './test-app.ts'

export interface TestBooks {
  readonly payments: Payments
  /** What the provider's report gives, in any order. */
  readonly lines: ReportLine[]
  /** What was logged as an error. */
  readonly errors: object[]
  /** While it is set, the provider does not give its books. */
  isSilent: boolean
  /** Writes a line into the books, and tells of it by an event unless `isTold` is false. */
  write(line: Omit<ReportLine, 'id' | 'occurredAt'> & Partial<ReportLine>, isTold?: boolean): Promise<ReportLine>
  /** Tells of a line by an event. */
  tell(line: ReportLine, eventId?: string): Promise<void>
}

/** `more` replaces further parts of the provider. */
export function createTestBooks(world: TestApp, more: Partial<MoneyProvider> = {}): TestBooks {
  const { product } = world.app
  const told = new Map<string, ReportLine>()
  const lines: ReportLine[] = []
  const errors: object[] = []
  const payments = createPayments({
    ...product,
    provider: {
      ...product.providers.money,
      events: {
        verify(rawBody) {
          const id = String(rawBody)
          const line = told.get(id)
          return line ? { id, about: 'reversal', line } : { id, about: 'unhandled', type: 'unknown' }
        },
      },
      report: {
        lines: (from, until) =>
          Promise.resolve(
            books.isSilent
              ? { status: 'unknown', reason: 'no answer' }
              : { status: 'known', lines: lines.filter(({ occurredAt: at }) => at >= from && at < until) },
          ),
      },
      ...more,
    },
    publicUrl: world.url,
    log: { warn() {}, error: (details) => errors.push(details) },
  })
  const books: TestBooks = {
    payments,
    lines,
    errors,
    isSilent: false,
    async write(facts, isTold = true) {
      const line = { id: `line_${randomUUID()}`, occurredAt: product.now(), ...facts }
      lines.push(line)
      if (isTold) await books.tell(line)
      return line
    },
    async tell(line, eventId = randomUUID()) {
      told.set(eventId, line)
      await payments.receiveEvent(Buffer.from(eventId), {})
    },
  }
  return books
}

/** What the provider's books would say about everything that our own books have by now. */
export async function ownBooks(world: TestApp): Promise<ReportLine[]> {
  const { rows } = await world.database.pool.query<{
    id: string
    kind: ReportLine['kind']
    amount: bigint
    currency: ReportLine['amount']['currency']
    reference: string
    occurred_at: Date
  }>('select id, kind, abs(amount_minor) as amount, currency, reference, occurred_at from settlement_line')
  return rows.map(({ id, kind, amount, currency, reference, occurred_at: occurredAt }) => ({
    id,
    kind,
    amount: { currency, minor: amount },
    reference,
    occurredAt,
  }))
}
