// For tests: payments of a running product, with a provider whose books and events the test extends.

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
  /** Lines in the provider's report, in addition to the sandbox's lines. */
  readonly lines: ReportLine[]
  /** Details of the errors logged. */
  readonly errors: object[]
  /** Makes the provider's report unavailable. */
  isSilent: boolean
  /** Edits the lines of each report. */
  editLines(lines: ReportLine[]): ReportLine[]
  /** Adds a line to the report, and sends an event about it unless `sendsEvent` is false. */
  write(line: Omit<ReportLine, 'id' | 'occurredAt'> & Partial<ReportLine>, sendsEvent?: boolean): Promise<ReportLine>
  reportByEvent(line: ReportLine, eventId?: string): Promise<void>
  deliver(notice: EventContent, eventId?: string): Promise<void>
}

/** Creates payments like the product's; `provider` and `mover` replace further parts. */
export function createTestBooks(
  world: TestApp,
  { provider = {}, mover }: { provider?: Partial<MoneyProvider>; mover?: Mover } = {},
): TestBooks {
  const { product } = world.app
  const reported = new Map<string, EventContent>()
  const lines: ReportLine[] = []
  const errors: object[] = []
  const sandbox = findSandbox(world)
  const editedProvider: MoneyProvider = {
    ...sandbox,
    events: {
      verify(rawBody) {
        const id = String(rawBody)
        const notice = reported.get(id)
        return notice ? Object.assign({ id }, notice) : { id, about: 'unhandled', type: 'unknown' }
      },
    },
    report: {
      balances: () => sandbox.report.balances(),
      async lines(from, until) {
        const storedReport = await sandbox.report.lines(new Date(0), new Date('2100-01-01'))
        if (books.isSilent || storedReport.status === 'unknown') return { status: 'unknown', reason: 'no answer' }
        const all = books.editLines([...storedReport.lines, ...lines])
        const isWithin = ({ occurredAt: at }: { readonly occurredAt: Date }) => at >= from && at < until
        return { status: 'known', lines: all.filter(isWithin), own: storedReport.own.filter(isWithin), pending: [] }
      },
    },
    ...provider,
  }
  const payments = createPayments({
    ...product,
    providers: createMoneyRegistry([editedProvider]),
    ...(mover ? { mover } : {}),
    publicUrl: world.url,
    log: { warn() {}, error: (details) => errors.push(details) },
  })
  const books: TestBooks = {
    payments,
    lines,
    errors,
    isSilent: false,
    editLines: (all) => all,
    async write(facts, sendsEvent = true) {
      const line = { id: `line_${randomUUID()}`, occurredAt: product.now(), ...facts }
      lines.push(line)
      if (sendsEvent) await books.reportByEvent(line)
      return line
    },
    reportByEvent: (line, eventId) => books.deliver({ about: 'reversal', line }, eventId),
    async deliver(notice, eventId = randomUUID()) {
      reported.set(eventId, notice)
      await payments.receiveEvent({ provider: 'sandbox', rawBody: Buffer.from(eventId), headers: {} })
    },
  }
  return books
}
