// For tests: payments of a running product, with a provider whose books and events the test extends.

import { randomUUID } from 'node:crypto'
import type { EventContent } from '@tern/providers/events/port'
import type { MoneyProvider } from '@tern/providers/money'
import { money } from '@tern/money/money'
import type { OwnLine, PendingMoney, ProviderBalance, ReportLine } from '@tern/providers/report/port'
import { toChange } from '@tern/server/features/payments/reconciliation/provider-balances'
import { createPayments, type Payments } from '@tern/server/features/payments/payments'
import type { Mover } from '@tern/server/features/wallets/move'
import { createMoneyRegistry } from '@tern/server/platform/providers/money-registry'
import type { TestApp } from '../app.ts'
import { findSandbox } from '../payments.ts'

export interface TestBooks {
  readonly payments: Payments
  /** Lines in the provider's report, in addition to the sandbox's lines. */
  readonly lines: ReportLine[]
  /** Movements of the operator's own money, in addition to the sandbox's. */
  readonly own: OwnLine[]
  /** Money that may still fail. */
  readonly pending: PendingMoney[]
  /** Details of the errors logged. */
  readonly errors: object[]
  /** Makes the provider's report unavailable. */
  isSilent: boolean
  /** Edits the lines of each report. */
  editLines(lines: ReportLine[]): ReportLine[]
  /** Called before each list of movements, with its end; may change the books. */
  onList(until: Date): void
  /** Edits the balances, which are the sums of the lines. */
  editBalances(balances: ProviderBalance[]): ProviderBalance[]
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
  const own: OwnLine[] = []
  const pending: PendingMoney[] = []
  const sandbox = findSandbox(world)
  const readAll = async () => {
    const storedReport = await sandbox.report.lines(new Date(0), new Date('2100-01-01'))
    if (storedReport.status === 'unknown') throw new Error(storedReport.reason)
    return { lines: books.editLines([...storedReport.lines, ...lines]), own: [...storedReport.own, ...own] }
  }
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
      async lines(from, until) {
        books.onList(until)
        if (books.isSilent) return { status: 'unknown', reason: 'no answer' }
        const all = await readAll()
        const isWithin = ({ occurredAt: at }: { readonly occurredAt: Date }) => at >= from && at < until
        return {
          status: 'known',
          lines: all.lines.filter(isWithin),
          own: all.own.filter(isWithin),
          pending: books.pending.filter(isWithin),
        }
      },
      async balances() {
        if (books.isSilent) return { status: 'unknown', reason: 'no answer' }
        const { lines: allLines, own: allOwn } = await readAll()
        // A list may name a movement twice.
        const changes = new Map([...allLines.map(toChange), ...allOwn].map((change) => [change.id, change]))
        return { status: 'known', balances: books.editBalances(sumChanges([...changes.values(), ...books.pending])) }
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
    own,
    pending,
    errors,
    isSilent: false,
    editLines: (all) => all,
    onList() {},
    editBalances: (balances) => balances,
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

function sumChanges(changes: readonly ProviderBalance[]): ProviderBalance[] {
  const sums = new Map<string, ProviderBalance>()
  for (const { balance, amount } of changes) {
    const key = `${balance} ${amount.currency}`
    const minor = (sums.get(key)?.amount.minor ?? 0n) + amount.minor
    sums.set(key, { balance, amount: money(amount.currency, minor) })
  }
  return [...sums.values()]
}
