// The payments of a running test product with a provider whose books, and whose news about them, a test adds to.

import { randomUUID } from 'node:crypto'
import type { EventNews } from '@tern/providers/events/port'
import type { MoneyProvider } from '@tern/providers/money'
import type { ReportLine } from '@tern/providers/report/port'
import { createPayments, type Payments } from '../../../packages/server/src/features/payments/payments.ts'
import type { Mover } from '../../../packages/server/src/features/wallets/move.ts'
import { createRegistry } from '../../../packages/server/src/platform/providers/provider-registry.ts'
import type { TestApp } from '../test-app.ts'
import { sandboxOf } from '../test-payments.ts'

export interface TestBooks {
  readonly payments: Payments
  /** What the provider's report gives, beside what really happened at the sandbox. */
  readonly lines: ReportLine[]
  /** What was logged as an error. */
  readonly errors: object[]
  /** While it is set, the provider does not give its books. */
  isSilent: boolean
  /** Changes the books before they are given. */
  edit(lines: ReportLine[]): ReportLine[]
  /** Writes a line into the books, and tells of it by an event unless `isTold` is false. */
  write(line: Omit<ReportLine, 'id' | 'occurredAt'> & Partial<ReportLine>, isTold?: boolean): Promise<ReportLine>
  /** Tells of a line by an event. */
  tell(line: ReportLine, eventId?: string): Promise<void>
  /** Delivers any event. */
  deliver(news: EventNews, eventId?: string): Promise<void>
}

/** Further parts of the provider can be replaced, and what happens around a movement. */
export function createTestBooks(
  world: TestApp,
  { provider = {}, mover }: { provider?: Partial<MoneyProvider>; mover?: Mover } = {},
): TestBooks {
  const { product } = world.app
  const told = new Map<string, EventNews>()
  const lines: ReportLine[] = []
  const errors: object[] = []
  const sandbox = sandboxOf(world)
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
    providers: createRegistry([edited]),
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
