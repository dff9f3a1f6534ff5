// Payments of a running test product, with a provider whose books and events a test can add to.

import { randomUUID } from 'node:crypto'
import type { EventContent } from '@tern/providers/events/port'
import type { MoneyProvider } from '@tern/providers/money'
import type { ReportLine } from '@tern/providers/report/port'
import { createPayments, type Payments } from '@tern/server/features/payments/payments'
import type { Mover } from '@tern/server/features/wallets/move'
import { createMoneyRegistry } from '@tern/server/platform/providers/money-registry'
import type { TestApp } from '../app.ts'
import { findSandbox } from '../payments.ts'

export interface TestBooks {
  readonly payments: Payments
  /** Lines that the provider reports in addition to the sandbox's real ones. */
  readonly lines: ReportLine[]
  /** Details of logged errors. */
  readonly errors: object[]
  /** While set, the provider does not return its books. */
  isSilent: boolean
  /** Changes the books before they are returned. */
  edit(lines: ReportLine[]): ReportLine[]
  /** Adds a line to the books, and reports it by an event unless `isTold` is false. */
  write(line: Omit<ReportLine, 'id' | 'occurredAt'> & Partial<ReportLine>, isTold?: boolean): Promise<ReportLine>
  /** Reports a line by an event. */
  tell(line: ReportLine, eventId?: string): Promise<void>
  deliver(news: EventContent, eventId?: string): Promise<void>
}

/** Creates the books; further parts of the provider and the mover can be replaced. */
export function createTestBooks(
  world: TestApp,
  { provider = {}, mover }: { provider?: Partial<MoneyProvider>; mover?: Mover } = {},
): TestBooks {
  const { product } = world.app
  const told = new Map<string, EventContent>()
  const lines: ReportLine[] = []
  const errors: object[] = []
  const sandbox = findSandbox(world)
  const edited: MoneyProvider = {
    ...sandbox,
    events: {
      verify(rawBody) {
        const id = String(rawBody)
        const news = told.get(id)
        return news ? Object.assign({ id }, news) : { id, about: 'unhandled', type: 'unknown' }
      },
    },
    report: {
      async lines(from, until) {
        const real = await sandbox.report.lines(new Date(0), new Date('2100-01-01'))
        if (books.isSilent || real.status === 'unknown') return { status: 'unknown', reason: 'no answer' }
        const all = books.edit([...real.lines, ...lines])
        return { status: 'known', lines: all.filter(({ occurredAt: at }) => at >= from && at < until) }
      },
    },
    ...provider,
  }
  const payments = createPayments({
    ...product,
    providers: createMoneyRegistry([edited]),
    ...(mover ? { mover } : {}),
    publicUrl: world.url,
    log: { warn() {}, error: (details) => errors.push(details) },
  })
  const books: TestBooks = {
    payments,
    lines,
    errors,
    isSilent: false,
    edit: (all) => all,
    async write(facts, isTold = true) {
      const line = { id: `line_${randomUUID()}`, occurredAt: product.now(), ...facts }
      lines.push(line)
      if (isTold) await books.tell(line)
      return line
    },
    tell: (line, eventId) => books.deliver({ about: 'reversal', line }, eventId),
    async deliver(news, eventId = randomUUID()) {
      told.set(eventId, news)
      await payments.receiveEvent({ provider: 'sandbox', rawBody: Buffer.from(eventId), headers: {} })
    },
  }
  return books
}
