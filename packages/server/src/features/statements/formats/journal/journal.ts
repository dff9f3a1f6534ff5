// Journal of a wallet in double entry, which hledger and Beancount files are written from.

import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { CurrencyCode } from '@tern/money/currency'
import { type Ratio, ratio } from '@tern/money/ratio'
import type { Messages } from '../../../../platform/messages.ts'
import { formatDescription } from '../../../wallets/wallets.ts'
import { listFlows } from '../../flows.ts'
import type { Movement, MovementTransaction } from '../../movement.ts'
import type { PartBalance } from '../../read-movements.ts'
import { dayAfter, dayOf, endOfMonth } from '../days.ts'
import { balanceAccount, feeAccount, findCounterpart, findFunding, openingAccount } from './accounts.ts'

/** Amount in minor units. */
interface Amount {
  readonly currency: CurrencyCode
  readonly minor: bigint
}

export interface JournalPosting extends Amount {
  readonly account: string
  /** Exact amount given for, or got for, this one; positive. */
  readonly total?: Amount
}

export interface JournalEntry {
  /** Posting of the ledger; the same in every file. */
  readonly id: string
  readonly at: Date
  readonly kind: string
  /** Short reference of the transaction, as on its receipt. */
  readonly reference: string | null
  readonly payee: string | null
  readonly note: string
  /** Amount that the counterparty got or gave in another currency. */
  readonly counterAmount: Amount | null
  /** Sum to zero in each currency, except that a posting with a total counts as that total. */
  readonly postings: readonly JournalPosting[]
}

export interface JournalBalance extends Amount {
  readonly account: string
}

export type JournalItem = { readonly day: string } & (
  | { readonly type: 'account'; readonly account: string; readonly currency: CurrencyCode | null }
  | { readonly type: 'opening'; readonly balances: readonly JournalBalance[] }
  | { readonly type: 'entry'; readonly entry: JournalEntry }
  | {
      readonly type: 'price'
      readonly currency: CurrencyCode
      readonly unit: CurrencyCode
      /** Units for one of `currency`. */
      readonly rate: Ratio
    }
  | { readonly type: 'balances'; readonly balances: readonly JournalBalance[] }
)

export interface JournalSource {
  readonly from: Date
  /** First instant after the period. */
  readonly until: Date
  readonly timeZone: string
  readonly messages: Messages
  readonly opening: readonly PartBalance[]
  readonly movements: AsyncIterable<Movement>
}

/** State of a journal that is being written; its size depends on the number of currencies only. */
interface JournalState {
  day: string
  readonly accounts: Set<string>
  readonly balances: Map<string, JournalBalance>
  /** Day of the last price of each pair. */
  readonly priced: Map<string, string>
}

/**
 * Yields the journal in the order of its days. A movement that a slow clock dated before its predecessor counts on the
 * predecessor's day, so that every balance is the ledger's.
 */
export async function* planJournal(source: JournalSource): AsyncGenerator<JournalItem, void, undefined> {
  const { timeZone, movements } = source
  const state: JournalState = {
    day: dayOf(source.from, timeZone),
    accounts: new Set(),
    balances: new Map(),
    priced: new Map(),
  }
  yield* open(state, source.opening)
  for await (const movement of movements) {
    const day = dayOf(movement.at, timeZone)
    yield* endMonths(state, day)
    if (day > state.day) state.day = day
    yield* enter(state, movement, source.messages)
  }
  const lastDay = dayOf(new Date(source.until.getTime() - 1), timeZone)
  yield* endMonths(state, lastDay)
  if (lastDay > state.day) state.day = lastDay
  if (state.balances.size > 0) yield { type: 'balances', day: state.day, balances: [...state.balances.values()] }
}

function* open(state: JournalState, opening: readonly PartBalance[]): Generator<JournalItem> {
  const balances = opening
    .filter(({ balance }) => balance !== 0n)
    .map(({ part, currency, balance }) => ({ account: balanceAccount(part, currency), currency, minor: balance }))
  if (balances.length === 0) return
  yield* openAccounts(state, [{ account: openingAccount }, ...balances])
  for (const balance of balances) state.balances.set(balance.account, balance)
  yield { type: 'opening', day: state.day, balances }
}

function* openAccounts(
  { day, accounts }: JournalState,
  used: readonly { readonly account: string; readonly currency?: CurrencyCode }[],
): Generator<JournalItem> {
  for (const { account, currency } of used) {
    if (accounts.has(account)) continue
    accounts.add(account)
    yield { type: 'account', day, account, currency: (account.startsWith('Assets:') && currency) || null }
  }
}

/** Yields the balances at the end of each month before `day`. */
function* endMonths(state: JournalState, day: string): Generator<JournalItem> {
  while (endOfMonth(state.day) < day) {
    const end = endOfMonth(state.day)
    if (state.balances.size > 0) yield { type: 'balances', day: end, balances: [...state.balances.values()] }
    state.day = dayAfter(end)
  }
}

function* enter(state: JournalState, movement: Movement, messages: Messages): Generator<JournalItem> {
  const { transaction, changes } = movement
  const postings = buildPostings(movement)
  yield* openAccounts(state, postings)
  const { day } = state
  const price = transaction && !movement.isInternal ? findPrice(transaction) : undefined
  if (price && state.priced.get(`${price.currency} ${price.unit}`) !== day) {
    state.priced.set(`${price.currency} ${price.unit}`, day)
    yield { type: 'price', day, ...price }
  }
  for (const { part, currency, balance } of changes) {
    const account = balanceAccount(part, currency)
    state.balances.set(account, { account, currency, minor: balance })
  }
  const counterparty = transaction?.counterparty
  const entry: JournalEntry = {
    id: movement.postingId,
    at: movement.at,
    kind: movement.postingKind,
    reference: transaction ? deriveReference(transaction.id) : null,
    payee: counterparty ? (counterparty.name ?? counterparty.username) : null,
    note: transaction ? formatDescription(messages, transaction.kind, transaction.description) : '',
    counterAmount: transaction && !movement.isInternal ? findCounterAmount(transaction) : null,
    postings,
  }
  yield { type: 'entry', day, entry }
}

/** Rate of a transaction between two currencies. */
function findPrice(transaction: MovementTransaction) {
  const { source_currency: currency, target_currency: unit, rate_numerator, rate_denominator } = transaction
  if (currency === unit || rate_numerator === null || rate_denominator === null) return undefined
  return { currency, unit, rate: ratio(rate_numerator, rate_denominator) }
}

/** Returns the other side's amount of a payment between two currencies. */
function findCounterAmount(transaction: MovementTransaction): Amount | null {
  const { kind, source_amount, source_currency, target_amount, target_currency } = transaction
  if (kind === 'EXCHANGE' || source_currency === target_currency) return null
  return kind === 'SEND' || kind === 'WITHDRAW'
    ? { currency: target_currency, minor: target_amount }
    : { currency: source_currency, minor: source_amount }
}

/** Returns the postings of a movement: its balances, their counterparts, and fees. */
function buildPostings({ changes, transaction }: Movement): readonly JournalPosting[] {
  const flows = listFlows(changes)
  const balances = changes.map(({ part, currency, amount: minor }) => ({
    account: balanceAccount(part, currency),
    currency,
    minor,
  }))
  const passesThrough = flows.some(({ funding }) => funding !== 0n)
  const own = passesThrough ? balances : sumPostings(balances)
  const pick = (key: 'funding' | 'principal' | 'fee', account: string) =>
    flows.map((flow) => ({ account, currency: flow.currency, minor: -flow[key] }))
  const principals = sumPostings(pick('principal', findCounterpart(transaction)))
  const exchanged = applyExchange(own, principals)
  return [
    ...(exchanged ?? own),
    ...sumPostings([
      ...pick('funding', findFunding(transaction)),
      ...(exchanged ? [] : principals),
      ...pick('fee', feeAccount),
    ]),
  ]
}

/**
 * Adds to the posting of a bought amount what was paid for it. Undefined unless the counterparts are one amount given
 * for one amount in another currency.
 */
function applyExchange(
  own: readonly JournalPosting[],
  counterparts: readonly JournalPosting[],
): readonly JournalPosting[] | undefined {
  const given = counterparts.find(({ minor }) => minor > 0n)
  const got = counterparts.find(({ minor }) => minor < 0n)
  if (!given || !got || counterparts.length !== 2) return undefined
  const bought = own.find(({ currency, minor }) => currency === got.currency && minor === -got.minor)
  const total = { currency: given.currency, minor: given.minor }
  return bought && own.map((posting) => (posting === bought ? { ...posting, total } : posting))
}

/** Returns the sums by account and currency that are not zero, in the order of their first postings. */
function sumPostings(postings: readonly JournalPosting[]): JournalPosting[] {
  const sums = new Map<string, JournalPosting>()
  for (const posting of postings) {
    const key = `${posting.account} ${posting.currency}`
    sums.set(key, { ...posting, minor: (sums.get(key)?.minor ?? 0n) + posting.minor })
  }
  return [...sums.values()].filter(({ minor }) => minor !== 0n)
}
