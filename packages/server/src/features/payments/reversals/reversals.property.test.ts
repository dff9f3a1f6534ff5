import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { depositByCard, paymentStatus } from '@tern/contract/payments'
import { lossAccount, walletAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { EventContent } from '@tern/providers/events/port'
import type { ReportLine } from '@tern/providers/report/port'
import { expect, test } from 'vitest'
import { createTestBooks } from '@tern/testkit/books/books'
import { settleCall } from '@tern/testkit/banking'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { isFullRun } from '@tern/testkit/length'
import { buildContext, loadStoredPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { createDice, type Dice } from '@tern/testkit/exchange/conversion-cases'
import { audit } from '../../../commands/audit/audit.ts'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { loadLoss } from '../losses/losses.ts'
import { applyReversal } from './reversals.ts'
import { expectReport, createModel, nextReport } from '@tern/testkit/payments/report-walk'
import {
  type PaymentAmounts,
  creditReturn,
  computeNet,
  debitReversal,
  type PaymentState,
} from '@tern/testkit/payments/provider-net'
import { findWallet } from '../../wallets/wallets.ts'

// Every order of a provider's reports about one payment, with spending in between: balance plus spending less debt
// always equals the provider's net amount.

const seed = 20_261_127
const maxDepth = isFullRun ? 5 : 4
const walkCount = isFullRun ? 300 : 16
// Far above the time needed on a busy machine.
const limitMs = isFullRun ? 7_200_000 : 900_000

const world = await openTestApp()
const books = createTestBooks(world)
const context = buildContext(world)

/** A card payment and the amounts of its reports. */
interface PaidPayment extends PaymentAmounts {
  readonly id: string
  readonly currency: CurrencyCode
  readonly partMinor: bigint
}

const actions = ['refund_part', 'refund', 'refund_failed', 'chargeback', 'won', 'spend'] as const
type ReversalAction = (typeof actions)[number]

/** Reports received for a payment. */
interface ReportedReversals {
  readonly count: number
  /** Refunds and chargebacks that were not returned. */
  readonly takenLines: readonly ReportLine[]
  /** A win reported before its chargeback. */
  readonly earlyLine: ReportLine | undefined
}

const buildLine = (
  { id: reference, currency }: PaidPayment,
  kind: ReportLine['kind'],
  id: string,
  minor: bigint,
): ReportLine => ({
  id,
  kind,
  amount: money(currency, minor),
  reference,
  occurredAt: new Date(),
})

/** Returns an action's report and the state after it; undefined if a provider would not report the action now. */
function report(
  payment: PaidPayment,
  action: ReversalAction,
  { count, takenLines, earlyLine }: ReportedReversals,
): [ReportLine, ReportedReversals] | undefined {
  const prefix = `${action}_${payment.id}_`
  if (action === 'won' || action === 'refund_failed') {
    const kind = action === 'won' ? 'chargeback' : 'refund'
    const reversedTake = takenLines.find((line) => line.kind === kind)
    if (!reversedTake && (action === 'refund_failed' || earlyLine)) return undefined
    const undoes = reversedTake?.id ?? `chargeback_${payment.id}_${count + 1}`
    const line = {
      ...buildLine(
        payment,
        'chargeback_reversal',
        `${prefix}${undoes}`,
        reversedTake?.amount.minor ?? payment.receivedMinor,
      ),
      undoes,
    }
    return [
      line,
      {
        count: count + 1,
        takenLines: takenLines.filter((take) => take !== reversedTake),
        earlyLine: reversedTake ? earlyLine : line,
      },
    ]
  }
  const hasEarlyWin = action === 'chargeback' && earlyLine !== undefined
  const id = hasEarlyWin ? (earlyLine.undoes ?? '') : `${prefix}${count}`
  const line = buildLine(
    payment,
    action === 'chargeback' ? action : 'refund',
    id,
    action === 'refund_part' ? payment.partMinor : payment.receivedMinor,
  )
  const remainingTakes = hasEarlyWin ? takenLines : [...takenLines, line]
  return [line, { count: count + 1, takenLines: remainingTakes, earlyLine: hasEarlyWin ? undefined : earlyLine }]
}

/** Applies a report and its duplicate; returns both outcomes, or the code of the refusal. */
async function applyReport(tx: Tx, line: ReportLine): Promise<readonly string[]> {
  const report = () => applyReversal(context, tx, { provider: 'sandbox', line, isLocked: false })
  await tx.query('savepoint report')
  try {
    return [(await report()) ?? 'of no payment', (await report()) ?? 'of no payment']
  } catch (error) {
    await tx.query('rollback to savepoint report')
    return [(error as { code?: string }).code ?? String(error)]
  }
}

interface Accounts {
  readonly wallet: bigint
  readonly loss: bigint
  readonly sink: bigint
}

interface Tree {
  readonly tx: Tx
  /** Number of actions in the longest sequence. */
  readonly depth: number
  readonly payment: PaidPayment
  readonly accounts: Accounts
}

/** Moves an amount out of the payer's wallet, if it is above zero. */
async function spendInTransaction(tx: Tx, { wallet, sink }: Accounts, minor: bigint): Promise<void> {
  if (minor === 0n) return
  // A savepoint resets the locks recorded by `tools/rules/watch-lock-order.ts`.
  await tx.query('savepoint spending')
  const movement = { id: randomUUID(), requestHash: Buffer.alloc(32), kind: 'transfer', reference: randomUUID() }
  const legs = [{ from: wallet, to: sink, amount: minor, code: 'send' }] as const
  const outcome = await context.mover.moveWithin(tx, { movement: { ...movement, at: context.now(), legs }, rows: [] })
  expect(outcome.status).toBe('posted')
}

/** Applies an action, a report twice; returns the expected state, or undefined if the action is impossible now. */
async function applyAction(
  { tx, payment, accounts }: Tree,
  action: ReversalAction,
  reportedBefore: ReportedReversals,
  standingBefore: PaymentState,
) {
  if (action === 'spend') {
    const minor = standingBefore.balance < payment.partMinor ? standingBefore.balance : payment.partMinor
    if (minor === 0n) return undefined
    await spendInTransaction(tx, accounts, minor)
    return { reported: reportedBefore, standing: { ...standingBefore, balance: standingBefore.balance - minor } }
  }
  const reportedPair = report(payment, action, reportedBefore)
  if (!reportedPair) return undefined
  const [line, reportedAfter] = reportedPair
  const { minor } = line.amount
  if (reportedAfter.earlyLine === line) {
    expect(await applyReport(tx, line)).toEqual(['provider_unavailable'])
    return { reported: reportedAfter, standing: standingBefore }
  }
  const takenBackPattern = expect.stringMatching(/^(taken_back|given_again)/)
  expect(await applyReport(tx, line)).toEqual([takenBackPattern, 'already_taken_in'])
  const standing =
    line.kind === 'chargeback_reversal'
      ? creditReturn(payment, standingBefore, minor)
      : debitReversal(payment, standingBefore, minor)
  if (!reportedBefore.earlyLine || reportedAfter.earlyLine) return { reported: reportedAfter, standing }
  expect(await applyReport(tx, reportedBefore.earlyLine)).toEqual(['given_again', 'already_taken_in'])
  return { reported: reportedAfter, standing: creditReturn(payment, standing, reportedBefore.earlyLine.amount.minor) }
}

async function readStanding({ tx, payment, accounts }: Tree): Promise<PaymentState> {
  const { rows } = await tx.query<{ balance: bigint; taken: bigint }>(
    `select (select balance from ledger.account where id = $1) as balance,
        (select coalesce(-sum(amount_minor), 0) from settlement_line where reference = $2 and kind <> 'capture') as taken`,
    [accounts.wallet, payment.id],
  )
  const { balance, taken } = rows[0]!
  return { balance, reversed: taken, debt: await loadLoss(tx, payment.id, accounts.loss) }
}

/** Walks every possible sequence of actions on a payment up to `depth`; returns the number of sequences. */
async function walkTree(
  tree: Tree,
  steps: readonly ReversalAction[],
  reportedBefore: ReportedReversals,
  standingBefore: PaymentState,
): Promise<number> {
  if (steps.length === tree.depth) return 0
  const { tx, payment } = tree
  let count = 0
  for (const action of actions) {
    const name = `step_${steps.length}`
    await tx.query(`savepoint ${name}`)
    const next = await applyAction(tree, action, reportedBefore, standingBefore)
    if (next) {
      const path = [...steps, action]
      const standing = await readStanding(tree)
      expect(standing, path.join()).toEqual(next.standing)
      const hasSpent = path.includes('spend')
      const netAmount = computeNet(payment, standing)
      if (!hasSpent)
        expect(standing, path.join()).toMatchObject({
          balance: netAmount > 0n ? netAmount : 0n,
          debt: netAmount < 0n ? -netAmount : 0n,
        })
      count += 1 + (await walkTree(tree, path, next.reported, next.standing))
    }
    await tx.query(`rollback to savepoint ${name}; release savepoint ${name}`)
  }
  return count
}

class RollbackError extends Error {}

/** Starts a card payment of 100 in a currency without paying it. */
async function startPayment(person: TestPerson, currency: 'USD' | 'EUR') {
  const quoteFields =
    currency === 'USD'
      ? {}
      : {
          quote_id: (
            await person.call(createQuote, {
              body: { source_currency: 'EUR', target_currency: 'USD', amount: '100.00', side: 'source' },
            })
          ).quote_id,
        }
  return person.call(depositByCard, {
    body: { amount: 10_000, currency: currency.toLowerCase(), ...quoteFields },
    idempotencyKey: randomUUID(),
  })
}

const loadFiatBalance = async (person: TestPerson) => BigInt((await person.wallet()).fiat_balance.replace('.', ''))

async function createPaidPayment(person: TestPerson, currency: 'USD' | 'EUR'): Promise<PaidPayment> {
  const { payment_id: id, redirectUrl } = await startPayment(person, currency)
  await payCheckout(redirectUrl!)
  await expect.poll(async () => (await person.call(paymentStatus, { params: { id } })).status).toBe('completed')
  const { amount_minor: paidMinor } = await loadStoredPayment(world, id)
  return { id, currency, receivedMinor: paidMinor, creditedMinor: await loadFiatBalance(person), partMinor: 4000n }
}

const noReports: ReportedReversals = { count: 0, takenLines: [], earlyLine: undefined }

test.each(['USD', 'EUR'] as const)(
  'every order of refunds, chargebacks, their ends and spending leaves the provider’s net of a payment in %s',
  async (currency) => {
    const person = await world.enroll('alice', 'United States')
    const sink = await world.enroll('bruno', 'United States')
    const payment = await createPaidPayment(person, currency)
    const { wallets, pool } = context
    const loadWalletAccount = async ({ id }: TestPerson) =>
      wallets.accountId(pool, walletAccount((await findWallet(pool, BigInt(id)))!.id, 'USD'))
    const accounts = {
      wallet: await loadWalletAccount(person),
      sink: await loadWalletAccount(sink),
      loss: await wallets.accountId(pool, lossAccount('USD')),
    }
    let count = 0
    const start = { reversed: 0n, balance: payment.creditedMinor, debt: 0n }
    const walkTransaction = transact(pool, async (tx) => {
      count = await walkTree(
        { tx, payment, accounts, depth: currency === 'USD' ? maxDepth : maxDepth - 1 },
        [],
        noReports,
        start,
      )
      throw new RollbackError()
    })
    await expect(walkTransaction).rejects.toThrow(RollbackError)
    expect(count).toBeGreaterThan(100)
  },
  limitMs,
)

const reportsPerWalk = 10
const generatedWalkCount = isFullRun ? 400 : 40

/** Returns the ids of a payment's reports that an open exception leaves to an operator. */
async function readUnmatched(tx: Tx, { id }: PaidPayment): Promise<string[]> {
  const { rows } = await tx.query<{ subject: string }>(
    `select subject from reconciliation_exception where reference = $1 and kind = 'unmatched' and closed_at is null`,
    [id],
  )
  return rows.map(({ subject }) => subject).toSorted()
}

/** Applies generated reports and spending to a payment, and compares the books after each with the model. */
async function walkGenerated(dice: Dice, { tx, payment, accounts }: Omit<Tree, 'depth'>, name: string): Promise<void> {
  const model = createModel(payment.creditedMinor)
  for (let index = 0; index < reportsPerWalk; index += 1) {
    const label = `${name}, report ${index}`
    if (dice.below(4) === 0) {
      const { balance } = model
      const minor = balance < payment.partMinor ? balance : payment.partMinor
      await spendInTransaction(tx, accounts, minor)
      model.spentMinor += minor
      model.balance -= minor
    }
    const line = nextReport(dice, model, payment.id, index)
    const expected = expectReport(model, line)
    const [outcome] = await applyReport(tx, line)
    const outcomes = { repeated: 'already_taken_in', unmatched: expected, provider_unavailable: expected }
    const bookedReason = expect.stringMatching(/^(taken_back|given_again)/)
    expect(outcome, label).toEqual(expected === 'booked' ? bookedReason : outcomes[expected])
    const standing = await readStanding({ tx, payment, accounts, depth: 0 })
    const { reversed, balance, debt } = model
    expect(standing, label).toEqual({ reversed, balance, debt })
    expect(balance + model.spentMinor - debt, label).toBe(payment.receivedMinor - reversed)
    expect(await readUnmatched(tx, payment), label).toEqual([...model.unmatched.keys()].toSorted())
  }
}

test('after generated reports of every kind bank, wallet and debts agree, and the rest waits for an operator', async () => {
  const dice = createDice(seed)
  const person = await world.enroll('dora', 'United States')
  const sink = await world.enroll('bruno', 'United States')
  const payment = await createPaidPayment(person, 'USD')
  const { wallets, pool } = context
  const loadWalletAccount = async ({ id }: TestPerson) =>
    wallets.accountId(pool, walletAccount((await findWallet(pool, BigInt(id)))!.id, 'USD'))
  const loss = await wallets.accountId(pool, lossAccount('USD'))
  const accounts = { wallet: await loadWalletAccount(person), sink: await loadWalletAccount(sink), loss }
  for (let walkIndex = 0; walkIndex < generatedWalkCount; walkIndex += 1) {
    const walkTransaction = transact(pool, async (tx) => {
      await walkGenerated(dice, { tx, payment, accounts }, `seed ${seed}, walk ${walkIndex}`)
      throw new RollbackError()
    })
    await expect(walkTransaction).rejects.toThrow(RollbackError)
  }
})

/** Spends from a wallet; returns the amount, 0 if refused. */
async function spendFunds(person: TestPerson, amount: string): Promise<bigint> {
  const balanceBefore = await loadFiatBalance(person)
  const body = { source_currency: 'USD', target_currency: 'USDT', amount, side: 'source' } as const
  const quote = await settleCall(person.call(createQuote, { body }))
  if (!('quote_id' in quote) || typeof quote.quote_id !== 'string') return 0n
  await settleCall(person.call(exchangeMoney, { body: { quote_id: quote.quote_id }, idempotencyKey: randomUUID() }))
  return balanceBefore - (await loadFiatBalance(person))
}

/** Events of a capture and up to five actions on a payment, in the provider's order, including irrelevant events. */
function buildEvents(dice: Dice, payment: PaidPayment, sessionId: string): EventContent[] {
  const { id: paymentId, currency, receivedMinor } = payment
  const capture = { ...buildLine(payment, 'capture', `capture_${paymentId}`, receivedMinor) }
  const { amount, id: captureId } = capture
  const events: EventContent[] = [
    { about: 'payment', sessionId, state: { status: 'settled', paymentId, amount, captureId } },
  ]
  books.lines.push(capture)
  let reportedBefore = noReports
  for (let remaining = dice.below(6); remaining > 0; remaining -= 1) {
    const action = [...actions, 'fee', 'lost'][dice.below(actions.length + 2)] as ReversalAction | 'fee' | 'lost'
    if (action === 'spend') continue
    const reportedPair = action === 'fee' || action === 'lost' ? undefined : report(payment, action, reportedBefore)
    if (reportedPair && reportedPair[1].earlyLine === undefined) {
      const [line, reportedAfter] = reportedPair
      reportedBefore = reportedAfter
      books.lines.push({ ...line, amount: money(currency, line.amount.minor) })
      events.push({ about: 'reversal', line })
    } else events.push({ about: 'unhandled', type: 'charge.dispute.closed' })
  }
  return events
}

function shuffle<T>(dice: Dice, list: readonly T[]): T[] {
  const remaining = [...list]
  return list.map(() => remaining.splice(dice.below(remaining.length), 1)[0]!)
}

/**
 * Delivers events twice and in any order, spending in between; redelivers refused ones. Returns the amount spent.
 */
async function deliverEvents(dice: Dice, person: TestPerson, events: readonly EventContent[]): Promise<bigint> {
  let spentMinor = 0n
  let pendingEvents = shuffle(dice, [...events, ...events])
  for (let round = 0; pendingEvents.length > 0; round += 1) {
    expect(round, 'some events are refused for ever').toBeLessThan(events.length + 2)
    const retries: EventContent[] = []
    for (const event of pendingEvents) {
      if (dice.below(4) === 0) spentMinor += await spendFunds(person, '30.00')
      const deliveryError = await books.deliver(event).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (deliveryError === undefined) continue
      expect(deliveryError).toMatchObject({ code: 'provider_unavailable' })
      retries.push(event)
    }
    pendingEvents = retries
  }
  return spentMinor
}

/** Debt of a user for a payment, and the total of its reversals. */
async function readFinalStanding({ id }: PaidPayment): Promise<Pick<PaymentState, 'reversed' | 'debt'>> {
  const { rows } = await context.pool.query<{ taken: bigint }>(
    `select coalesce(-sum(amount_minor) filter (where kind <> 'capture'), 0) as taken from settlement_line where reference = $1`,
    [id],
  )
  const loss = await context.wallets.accountId(context.pool, lossAccount('USD'))
  return { reversed: rows[0]!.taken, debt: await loadLoss(context.pool, id, loss) }
}

const sumTaken = (events: readonly EventContent[]): bigint =>
  events.reduce((sum, event) => {
    if (event.about !== 'reversal') return sum
    const { kind, amount } = event.line
    return kind === 'chargeback_reversal' ? sum - amount.minor : sum + amount.minor
  }, 0n)

test('events in any order, doubled and repeated, end with the net', { timeout: limitMs }, async () => {
  const dice = createDice(seed)
  for (let walkIndex = 0; walkIndex < walkCount; walkIndex += 4) {
    const person = await world.enroll('carla', 'United States')
    let [spentMinor, expected] = [0n, 0n]
    for (let index = 0; index < 4; index += 1) {
      const { payment_id: id } = await startPayment(person, 'USD')
      const { session_id: sessionId, amount_minor: paidMinor } = await loadStoredPayment(world, id)
      const payment: PaidPayment = {
        id,
        currency: 'USD',
        receivedMinor: paidMinor,
        creditedMinor: paidMinor,
        partMinor: 4000n,
      }
      const events = buildEvents(dice, payment, sessionId)
      // Some events are never delivered and are found by reconciliation.
      const isSilent = dice.below(4) === 0
      spentMinor += await deliverEvents(dice, person, isSilent ? events.slice(0, 1) : events)
      if (isSilent) await books.payments.reconcile({ until: new Date(context.now().getTime() + 60_000) })
      const { reversed, debt } = await readFinalStanding(payment)
      const label = `seed ${seed}, walk ${walkIndex + index}`
      expect(reversed, label).toBe(sumTaken(events))
      expect(debt, label).toBeGreaterThanOrEqual(0n)
      expected += computeNet(payment, { reversed, debt, balance: 0n }) + debt
      expect((await loadFiatBalance(person)) + spentMinor, label).toBe(expected)
    }
  }
  const [report] = await books.payments.reconcile({ until: new Date(context.now().getTime() + 60_000) })
  expect(report).toMatchObject({ takenIn: 0, casesOpened: 0, unresolved: 0 })
  const { checks } = await audit(context.pool)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})
