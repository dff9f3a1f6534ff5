import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { depositByCard, paymentStatus } from '@tern/contract/payments'
import { lossAccount, walletAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { EventNews } from '@tern/providers/events/port'
import type { ReportLine } from '@tern/providers/report/port'
import { expect, test } from 'vitest'
import { createTestBooks } from '@tern/testkit/books/books'
import { settleCall } from '@tern/testkit/banking'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { isWhole } from '@tern/testkit/length'
import { buildContext, storedPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { createDice, type Dice } from '@tern/testkit/exchange/conversion-cases'
import { audit } from '../../../commands/audit/audit.ts'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { loadLoss } from '../losses/losses.ts'
import { applyReversal } from './reversals.ts'
import { expectReport, newModel, nextReport } from '@tern/testkit/payments/report-walk'
import { type Came, give, computeNet, type Standing, take } from '@tern/testkit/payments/provider-net'
import { findWallet } from '../../wallets/wallets.ts'

// Every order of a provider's reports about one payment, with spending in between: the wallet's balance and its owner's
// debt always add up to the provider's net.

const seed = 20_261_127
const depth = isWhole ? 5 : 4
const walks = isWhole ? 300 : 16
// Far above the time that a busy machine takes.
const limitMs = isWhole ? 7_200_000 : 900_000

const world = await openTestApp()
const books = createTestBooks(world)
const context = buildContext(world)

/** A card payment and the amounts of its reports. */
interface Paid extends Came {
  readonly id: string
  readonly currency: CurrencyCode
  readonly part: bigint
}

const acts = ['refund_part', 'refund', 'refund_failed', 'chargeback', 'won', 'spend'] as const
type Act = (typeof acts)[number]

/** Reports received for a payment. */
interface Reported {
  readonly count: number
  /** Takes that were not returned. */
  readonly takes: readonly ReportLine[]
  /** A win reported before its chargeback. */
  readonly early: ReportLine | undefined
}

const lineOf = (
  { id: reference, currency }: Paid,
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

/** Returns the report of an act and the state after it; undefined for acts that a provider would not report now. */
function report(paid: Paid, act: Act, { count, takes, early }: Reported): [ReportLine, Reported] | undefined {
  const prefix = `${act}_${paid.id}_`
  if (act === 'won' || act === 'refund_failed') {
    const kind = act === 'won' ? 'chargeback' : 'refund'
    const undone = takes.find((line) => line.kind === kind)
    if (!undone && (act === 'refund_failed' || early)) return undefined
    const undoes = undone?.id ?? `chargeback_${paid.id}_${count + 1}`
    const line = {
      ...lineOf(paid, 'chargeback_reversal', `${prefix}${undoes}`, undone?.amount.minor ?? paid.came),
      undoes,
    }
    return [line, { count: count + 1, takes: takes.filter((one) => one !== undone), early: undone ? early : line }]
  }
  const isEarlyWon = act === 'chargeback' && early !== undefined
  const id = isEarlyWon ? (early.undoes ?? '') : `${prefix}${count}`
  const line = lineOf(paid, act === 'chargeback' ? act : 'refund', id, act === 'refund_part' ? paid.part : paid.came)
  const left = isEarlyWon ? takes : [...takes, line]
  return [line, { count: count + 1, takes: left, early: isEarlyWon ? undefined : early }]
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
  /** Number of consecutive acts. */
  readonly depth: number
  readonly paid: Paid
  readonly accounts: Accounts
}

/** Moves an amount out of the payer's wallet, if it is above zero. */
async function spendWithin(tx: Tx, { wallet, sink }: Accounts, minor: bigint): Promise<void> {
  if (minor === 0n) return
  // The lock-order watch sees the following statements as a transaction of their own.
  await tx.query('savepoint spending')
  const movement = { id: randomUUID(), requestHash: Buffer.alloc(32), kind: 'transfer', reference: randomUUID() }
  const legs = [{ from: wallet, to: sink, amount: minor, code: 'send' }] as const
  const outcome = await context.mover.moveWithin(tx, { movement: { ...movement, at: context.now(), legs }, rows: [] })
  expect(outcome.status).toBe('posted')
}

/** Applies an act and its duplicate; returns the oracle's state of the payment. */
async function applyAct({ tx, paid, accounts }: Tree, act: Act, past: Reported, before: Standing) {
  if (act === 'spend') {
    const minor = before.balance < paid.part ? before.balance : paid.part
    if (minor === 0n) return undefined
    await spendWithin(tx, accounts, minor)
    return { reported: past, standing: { ...before, balance: before.balance - minor } }
  }
  const reported = report(paid, act, past)
  if (!reported) return undefined
  const [line, after] = reported
  const { minor } = line.amount
  if (after.early === line) {
    expect(await applyReport(tx, line)).toEqual(['provider_unavailable'])
    return { reported: after, standing: before }
  }
  const taken = expect.stringMatching(/^(taken_back|given_again)/)
  expect(await applyReport(tx, line)).toEqual([taken, 'already_taken_in'])
  const standing = line.kind === 'chargeback_reversal' ? give(paid, before, minor) : take(paid, before, minor)
  if (!past.early || after.early) return { reported: after, standing }
  expect(await applyReport(tx, past.early)).toEqual(['given_again', 'already_taken_in'])
  return { reported: after, standing: give(paid, standing, past.early.amount.minor) }
}

async function readStanding({ tx, paid, accounts }: Tree): Promise<Standing> {
  const { rows } = await tx.query<{ balance: bigint; taken: bigint }>(
    `select (select balance from ledger.account where id = $1) as balance,
        (select coalesce(-sum(amount_minor), 0) from settlement_line where reference = $2 and kind <> 'capture') as taken`,
    [accounts.wallet, paid.id],
  )
  return { ...rows[0]!, owed: await loadLoss(tx, paid.id, accounts.loss) }
}

/** Walks every possible sequence of acts on a payment; returns how many there were. */
async function walk(tree: Tree, steps: readonly Act[], past: Reported, before: Standing): Promise<number> {
  if (steps.length === tree.depth) return 0
  const { tx, paid } = tree
  let count = 0
  for (const act of acts) {
    const name = `step_${steps.length}`
    await tx.query(`savepoint ${name}`)
    const next = await applyAct(tree, act, past, before)
    if (next) {
      const path = [...steps, act]
      const standing = await readStanding(tree)
      expect(standing, path.join()).toEqual(next.standing)
      const spent = path.includes('spend')
      const net = computeNet(paid, standing)
      if (!spent)
        expect(standing, path.join()).toMatchObject({ balance: net > 0n ? net : 0n, owed: net < 0n ? -net : 0n })
      count += 1 + (await walk(tree, path, next.reported, next.standing))
    }
    await tx.query(`rollback to savepoint ${name}; release savepoint ${name}`)
  }
  return count
}

class Undone extends Error {}

/** Starts a card payment of 100 in a currency without paying it. */
async function begin(person: TestPerson, currency: 'USD' | 'EUR') {
  const quoted =
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
    body: { amount: 10_000, currency: currency.toLowerCase(), ...quoted },
    idempotencyKey: randomUUID(),
  })
}

const balanceOf = async (person: TestPerson) => BigInt((await person.wallet()).fiat_balance.replace('.', ''))

async function paidBy(person: TestPerson, currency: 'USD' | 'EUR'): Promise<Paid> {
  const { payment_id: id, redirectUrl } = await begin(person, currency)
  await payCheckout(redirectUrl!)
  await expect.poll(async () => (await person.call(paymentStatus, { params: { id } })).status).toBe('completed')
  const { amount_minor: came } = await storedPayment(world, id)
  return { id, currency, came, got: await balanceOf(person), part: 4000n }
}

const nothing: Reported = { count: 0, takes: [], early: undefined }

test.each(['USD', 'EUR'] as const)(
  'every order of refunds, chargebacks, their ends and spending leaves the provider’s net of a payment in %s',
  async (currency) => {
    const person = await world.enroll('alice', 'United States')
    const sink = await world.enroll('bruno', 'United States')
    const paid = await paidBy(person, currency)
    const { wallets, pool } = context
    const walletOf = async ({ id }: TestPerson) =>
      wallets.accountId(pool, walletAccount((await findWallet(pool, BigInt(id)))!.id, 'USD'))
    const accounts = {
      wallet: await walletOf(person),
      sink: await walletOf(sink),
      loss: await wallets.accountId(pool, lossAccount('USD')),
    }
    let count = 0
    const start = { taken: 0n, balance: paid.got, owed: 0n }
    const walked = transact(pool, async (tx) => {
      count = await walk({ tx, paid, accounts, depth: currency === 'USD' ? depth : depth - 1 }, [], nothing, start)
      throw new Undone()
    })
    await expect(walked).rejects.toThrow(Undone)
    expect(count).toBeGreaterThan(100)
  },
  limitMs,
)

const walkedReports = 10
const generated = isWhole ? 400 : 40

/** Returns the ids of a payment's reports that an open exception leaves to an operator. */
async function readUnmatched(tx: Tx, { id }: Paid): Promise<string[]> {
  const { rows } = await tx.query<{ subject: string }>(
    `select subject from reconciliation_exception where reference = $1 and kind = 'unmatched' and closed_at is null`,
    [id],
  )
  return rows.map(({ subject }) => subject).toSorted()
}

/** Applies generated reports and spending to a payment, and compares the books after each with the model. */
async function walkGenerated(dice: Dice, { tx, paid, accounts }: Omit<Tree, 'depth'>, name: string): Promise<void> {
  const model = newModel(paid.got)
  for (let place = 0; place < walkedReports; place += 1) {
    const about = `${name}, report ${place}`
    if (dice.below(4) === 0) {
      const { balance } = model
      const minor = balance < paid.part ? balance : paid.part
      await spendWithin(tx, accounts, minor)
      model.spent += minor
      model.balance -= minor
    }
    const line = nextReport(dice, model, paid.id, place)
    const expected = expectReport(model, line)
    const [outcome] = await applyReport(tx, line)
    const outcomes = { repeated: 'already_taken_in', unmatched: expected, provider_unavailable: expected }
    const booked = expect.stringMatching(/^(taken_back|given_again)/)
    expect(outcome, about).toEqual(expected === 'booked' ? booked : outcomes[expected])
    const standing = await readStanding({ tx, paid, accounts, depth: 0 })
    const { taken, balance, owed } = model
    expect(standing, about).toEqual({ taken, balance, owed })
    expect(balance + model.spent - owed, about).toBe(paid.came - taken)
    expect(await readUnmatched(tx, paid), about).toEqual([...model.unmatched.keys()].toSorted())
  }
}

test('after generated reports of every kind bank, wallet and debts agree, and the rest waits for an operator', async () => {
  const dice = createDice(seed)
  const person = await world.enroll('dora', 'United States')
  const sink = await world.enroll('bruno', 'United States')
  const paid = await paidBy(person, 'USD')
  const { wallets, pool } = context
  const walletOf = async ({ id }: TestPerson) =>
    wallets.accountId(pool, walletAccount((await findWallet(pool, BigInt(id)))!.id, 'USD'))
  const loss = await wallets.accountId(pool, lossAccount('USD'))
  const accounts = { wallet: await walletOf(person), sink: await walletOf(sink), loss }
  for (let walked = 0; walked < generated; walked += 1) {
    const walking = transact(pool, async (tx) => {
      await walkGenerated(dice, { tx, paid, accounts }, `seed ${seed}, walk ${walked}`)
      throw new Undone()
    })
    await expect(walking).rejects.toThrow(Undone)
  }
})

/** Spends from a wallet; returns the amount, 0 if refused. */
async function spend(person: TestPerson, amount: string): Promise<bigint> {
  const before = await balanceOf(person)
  const body = { source_currency: 'USD', target_currency: 'USDT', amount, side: 'source' } as const
  const quote = await settleCall(person.call(createQuote, { body }))
  if (!('quote_id' in quote) || typeof quote.quote_id !== 'string') return 0n
  await settleCall(person.call(exchangeMoney, { body: { quote_id: quote.quote_id }, idempotencyKey: randomUUID() }))
  return before - (await balanceOf(person))
}

/** Events of up to six acts on a payment, in the provider's order, with those for fees and lost disputes. */
function eventsOf(dice: Dice, paid: Paid, sessionId: string): EventNews[] {
  const { id: paymentId, currency, came } = paid
  const capture = { ...lineOf(paid, 'capture', `capture_${paymentId}`, came) }
  const { amount, id: captureId } = capture
  const news: EventNews[] = [
    { about: 'payment', sessionId, state: { status: 'settled', paymentId, amount, captureId } },
  ]
  books.lines.push(capture)
  let past = nothing
  for (let left = dice.below(6); left > 0; left -= 1) {
    const act = [...acts, 'fee', 'lost'][dice.below(acts.length + 2)] as Act | 'fee' | 'lost'
    if (act === 'spend') continue
    const reported = act === 'fee' || act === 'lost' ? undefined : report(paid, act, past)
    if (reported && reported[1].early === undefined) {
      const [line, after] = reported
      past = after
      books.lines.push({ ...line, amount: money(currency, line.amount.minor) })
      news.push({ about: 'reversal', line })
    } else news.push({ about: 'unhandled', type: 'charge.dispute.closed' })
  }
  return news
}

function shuffled<T>(dice: Dice, list: readonly T[]): T[] {
  const left = [...list]
  return list.map(() => left.splice(dice.below(left.length), 1)[0]!)
}

/**
 * Delivers events twice and in any order, spending in between; redelivers those answered 503. Returns the amount spent.
 */
async function deliverAll(dice: Dice, person: TestPerson, news: readonly EventNews[]): Promise<bigint> {
  let spent = 0n
  let waiting = shuffled(dice, [...news, ...news])
  for (let round = 0; waiting.length > 0; round += 1) {
    expect(round, 'some events are refused for ever').toBeLessThan(news.length + 2)
    const again: EventNews[] = []
    for (const one of waiting) {
      if (dice.below(4) === 0) spent += await spend(person, '30.00')
      const refused = await books.deliver(one).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (refused === undefined) continue
      expect(refused).toMatchObject({ code: 'provider_unavailable' })
      again.push(one)
    }
    waiting = again
  }
  return spent
}

/** Debt of a user for a payment, and the total of its reversals. */
async function readEnd({ id }: Paid): Promise<Pick<Standing, 'taken' | 'owed'>> {
  const { rows } = await context.pool.query<{ taken: bigint }>(
    `select coalesce(-sum(amount_minor) filter (where kind <> 'capture'), 0) as taken from settlement_line where reference = $1`,
    [id],
  )
  const loss = await context.wallets.accountId(context.pool, lossAccount('USD'))
  return { taken: rows[0]!.taken, owed: await loadLoss(context.pool, id, loss) }
}

const takenBy = (news: readonly EventNews[]): bigint =>
  news.reduce((sum, one) => {
    if (one.about !== 'reversal') return sum
    const { kind, amount } = one.line
    return kind === 'chargeback_reversal' ? sum - amount.minor : sum + amount.minor
  }, 0n)

test('events in any order, doubled and repeated, end with the net', { timeout: limitMs }, async () => {
  const dice = createDice(seed)
  for (let walked = 0; walked < walks; walked += 4) {
    const person = await world.enroll('carla', 'United States')
    let [spent, expected] = [0n, 0n]
    for (let index = 0; index < 4; index += 1) {
      const { payment_id: id } = await begin(person, 'USD')
      const { session_id: sessionId, amount_minor: came } = await storedPayment(world, id)
      const paid: Paid = { id, currency: 'USD', came, got: came, part: 4000n }
      const news = eventsOf(dice, paid, sessionId)
      // Some events are never delivered and are found by reconciliation.
      const isSilent = dice.below(4) === 0
      spent += await deliverAll(dice, person, isSilent ? news.slice(0, 1) : news)
      if (isSilent) await books.payments.reconcile({ until: new Date(context.now().getTime() + 60_000) })
      const { taken, owed } = await readEnd(paid)
      const about = `seed ${seed}, walk ${walked + index}`
      expect(taken, about).toBe(takenBy(news))
      expect(owed, about).toBeGreaterThanOrEqual(0n)
      expected += computeNet(paid, { taken, owed, balance: 0n }) + owed
      expect((await balanceOf(person)) + spent, about).toBe(expected)
    }
  }
  const [compared] = await books.payments.reconcile({ until: new Date(context.now().getTime() + 60_000) })
  expect(compared).toMatchObject({ takenIn: 0, casesOpened: 0, unresolved: 0 })
  const { checks } = await audit(context.pool)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})
