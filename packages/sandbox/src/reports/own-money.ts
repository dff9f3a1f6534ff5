import type { Clock } from '../control/clock.ts'
import { newId } from '../server/api.ts'
import { currencyDecimals } from '../server/currency.ts'
import { type Fields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'
import type { BookLine, LineKind } from './books.ts'

const ownKinds = ['fee', 'bank_transfer', 'reserve', 'conversion', 'adjustment', 'unknown'] as const
type OwnKind = (typeof ownKinds)[number]
const balanceNames = ['payments', 'payouts'] as const
type BalanceName = (typeof balanceNames)[number]

/** Movement of the operator's own money, in the form of the report. */
export interface OwnLine {
  id: string
  kind: OwnKind
  balance: BalanceName
  /** Change of the balance in minor units, with its sign. */
  amount_minor: string
  currency: string
  /** By the sandbox clock, ISO 8601 in UTC. */
  occurred_at: string
}

export interface Balance {
  balance: BalanceName
  amount_minor: string
  currency: string
}

/** Fees of the processor, and whether it settles with the operator's bank every day. */
export interface OwnMoneySettings {
  card_fee_basis_points: number
  dispute_fee_minor: number
  payout_fee_minor: number
  /** Pays the balance of payments to the operator's bank each day, and fills the balance of payouts from there. */
  settles_daily: boolean
}

const nothing: OwnMoneySettings = {
  card_fee_basis_points: 0,
  dispute_fee_minor: 0,
  payout_fee_minor: 0,
  settles_daily: false,
}
/** Typical fees of a processor, for a sandbox with fees. */
export const typicalOwnMoney: OwnMoneySettings = {
  card_fee_basis_points: 290,
  dispute_fee_minor: 1500,
  payout_fee_minor: 150,
  settles_daily: true,
}
const setting = 'own_money'
const settledSetting = 'own_money_settled_on'
const largestFee = 100_000
const wholeShare = 10_000n

/** Direction of each kind of an account holder's movement, from the product's point of view. */
const signOf: Readonly<Record<LineKind, 1n | -1n>> = {
  capture: 1n,
  debit: 1n,
  refund: -1n,
  chargeback: -1n,
  chargeback_reversal: 1n,
  debit_return: -1n,
  payout: -1n,
  payout_return: 1n,
}

const balanceOf = (kind: LineKind): BalanceName =>
  kind === 'payout' || kind === 'payout_return' ? 'payouts' : 'payments'

export const recordOwnLine = (store: Store, line: OwnLine): void => store.insert('own_line', { ...line })

function computeFee({ kind, amount_minor: minor }: BookLine, settings: OwnMoneySettings): bigint {
  // Rounded up.
  if (kind === 'capture') {
    return (BigInt(minor) * BigInt(settings.card_fee_basis_points) + wholeShare - 1n) / wholeShare
  }
  if (kind === 'chargeback') return BigInt(settings.dispute_fee_minor)
  return kind === 'payout' ? BigInt(settings.payout_fee_minor) : 0n
}

/** Records the fee of a movement, if one is charged. Call in the transaction of the movement. */
export function recordFee(store: Store, line: BookLine): void {
  const fee = computeFee(line, store.setting<OwnMoneySettings>(setting) ?? nothing)
  if (fee === 0n) return
  const { id, kind, currency, occurred_at } = line
  const amount_minor = String(-fee)
  recordOwnLine(store, {
    id: `${id}_fee`,
    kind: 'fee',
    balance: balanceOf(kind),
    amount_minor,
    currency,
    occurred_at,
  })
}

/** Adds both books up by balance and currency; zero balances are left out. */
export function computeBalances(store: Store): Balance[] {
  const sums = new Map<string, bigint>()
  const add = (balance: BalanceName, currency: string, minor: bigint) => {
    const key = `${balance} ${currency}`
    sums.set(key, (sums.get(key) ?? 0n) + minor)
  }
  for (const { kind, currency, amount_minor: minor } of store.all<BookLine>(
    'select kind, currency, amount_minor from book_line',
  )) {
    add(balanceOf(kind), currency, signOf[kind] * BigInt(minor))
  }
  for (const { balance, currency, amount_minor: minor } of store.all<OwnLine>(
    'select balance, currency, amount_minor from own_line',
  )) {
    add(balance, currency, BigInt(minor))
  }
  return [...sums]
    .filter(([, minor]) => minor !== 0n)
    .map(([key, minor]) => {
      const [balance, currency] = key.split(' ') as [BalanceName, string]
      return { balance, amount_minor: String(minor), currency }
    })
}

const amountPattern = /^-?[1-9]\d*$/

/** Reads a movement to add by hand. Throws ApiError 422. */
function readOwnLine(fields: Fields, at: Date): OwnLine {
  const kindText = fields.text('kind', { max: 20 })
  const balanceText = fields.text('balance', { max: 20 })
  const kind = ownKinds.find((name) => name === kindText)
  const balance = balanceNames.find((name) => name === balanceText)
  const amount_minor = fields.text('amount_minor', {
    max: 13,
    pattern: amountPattern,
    message: 'Must be a whole number of the smallest unit, not zero, as a text of digits with a sign.',
  })
  const currency = fields.text('currency', { max: 3 })
  if (!kind) fields.addProblem('kind', `Must be one of ${ownKinds.join(', ')}.`)
  if (!balance) fields.addProblem('balance', `Must be one of ${balanceNames.join(', ')}.`)
  if (!currencyDecimals.has(currency)) {
    fields.addProblem('currency', `Must be one of ${[...currencyDecimals.keys()].join(', ')}.`)
  }
  fields.check()
  return {
    id: newId('own'),
    kind: kind ?? 'unknown',
    balance: balance ?? 'payments',
    amount_minor,
    currency,
    occurred_at: at.toISOString(),
  }
}

function readSettings(fields: Fields): OwnMoneySettings {
  const settings = {
    card_fee_basis_points: fields.integer('card_fee_basis_points', { max: 1000 }) ?? nothing.card_fee_basis_points,
    dispute_fee_minor: fields.integer('dispute_fee_minor', { max: largestFee }) ?? nothing.dispute_fee_minor,
    payout_fee_minor: fields.integer('payout_fee_minor', { max: largestFee }) ?? nothing.payout_fee_minor,
    settles_daily: fields.flag('settles_daily') ?? nothing.settles_daily,
  }
  fields.check()
  return settings
}

export type OwnMoney = ReturnType<typeof createOwnMoney>

/** The operator's own money at the processor: fees, and settlement with the operator's bank. */
export function createOwnMoney(store: Store, clock: Clock, initial: OwnMoneySettings = nothing) {
  if (store.setting(setting) === undefined) store.saveSetting(setting, initial)
  const get = (): OwnMoneySettings => store.setting<OwnMoneySettings>(setting) ?? nothing

  function settle(at: Date): void {
    for (const { balance, amount_minor, currency } of computeBalances(store)) {
      const minor = BigInt(amount_minor)
      if (balance === 'payments' ? minor < 0n : minor > 0n) continue
      const line = { kind: 'bank_transfer', balance, amount_minor: String(-minor), currency } as const
      recordOwnLine(store, { id: newId('own'), ...line, occurred_at: at.toISOString() })
    }
  }

  return {
    get,
    change(fields: Fields): OwnMoneySettings {
      store.saveSetting(setting, readSettings(fields))
      return get()
    },
    /** Adds a movement by hand, such as a reserve or a correction. */
    add(fields: Fields): OwnLine {
      const line = readOwnLine(fields, clock.now())
      recordOwnLine(store, line)
      return line
    },
    /** Settles with the operator's bank on the first step of a day. */
    executeDue(): void {
      if (!get().settles_daily) return
      const now = clock.now()
      const today = now.toISOString().slice(0, 10)
      const settledOn = store.setting<string>(settledSetting)
      if (settledOn === today) return
      store.transact(() => {
        if (settledOn !== undefined) settle(now)
        store.saveSetting(settledSetting, today)
      })
    },
  }
}
