import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'

/**
 * The kinds of account. `floor` is the balance (minor units) an account of the kind never goes below; accounts without a
 * floor stand for the world outside or for the product itself, and mirror what users hold. Of those that every movement
 * touches each connection that posts has a stripe of its own; their balance is the sum over kind and currency.
 */
export const accountKinds = {
  /** What a user can spend in one currency. */
  wallet: { floor: 0n },
  /** A user's money set aside for something that is not decided yet. */
  hold: { floor: 0n },
  /** The fiat or crypto side of a currency's exchange desk. */
  bridge: { floor: null, isStriped: true },
  /** The stablecoin side of a currency's exchange desk. */
  bridge_stablecoin: { floor: null, isStriped: true },
  /** Fees earned. */
  fee: { floor: null, isStriped: true },
  /** What rounding left over. */
  rounding: { floor: null, isStriped: true },
  /** Owed by, or to, the card processor. */
  card_settlement: { floor: null, isStriped: true },
  /** Owed by, or to, the bank. */
  bank_settlement: { floor: null, isStriped: true },
  /** Owed to the partner that pays out to bank accounts. */
  payout_settlement: { floor: null, isStriped: true },
  /** What was taken back from us and could not be taken back from the user. */
  loss: { floor: null },
} as const satisfies Record<string, { floor: bigint | null; isStriped?: true }>

export type AccountKind = keyof typeof accountKinds

/** The kinds whose accounts have stripes. */
export const stripedKinds: readonly string[] = Object.entries(accountKinds).flatMap(([kind, facts]) =>
  'isStriped' in facts ? [kind] : [],
)

/** What a leg is for. */
export type MoveCode =
  | 'send'
  | 'fee'
  | 'exchange'
  | 'rounding'
  | 'deposit'
  | 'reserve'
  | 'settle'
  | 'release'
  | 'refund'
  | 'chargeback'

/** A way money may go; with `sameOwner`, only between accounts of one wallet. */
export interface PermittedMove {
  readonly from: AccountKind
  readonly to: AccountKind
  readonly code: MoveCode
  readonly sameOwner?: true
}

const moves = (code: MoveCode, pairs: readonly (readonly [from: AccountKind, to: AccountKind])[]): PermittedMove[] =>
  pairs.map(([from, to]) => ({ from, to, code }))

/** Every way money may go. The ledger refuses all others; table `ledger.permitted_move` says the same (a test compares). */
export const permittedMoves: readonly PermittedMove[] = [
  ...moves('send', [['wallet', 'wallet']]),
  ...moves('fee', [
    ['wallet', 'fee'],
    ['hold', 'fee'],
    ['card_settlement', 'fee'],
    ['bank_settlement', 'fee'],
  ]),
  ...moves('exchange', [
    ['wallet', 'bridge'],
    ['bridge', 'wallet'],
    ['wallet', 'bridge_stablecoin'],
    ['bridge_stablecoin', 'wallet'],
    ['bridge_stablecoin', 'bridge_stablecoin'],
  ]),
  ...moves('rounding', [
    ['bridge', 'rounding'],
    ['bridge_stablecoin', 'rounding'],
  ]),
  ...moves('deposit', [
    ['card_settlement', 'wallet'],
    ['card_settlement', 'bridge'],
    ['bank_settlement', 'wallet'],
    ['bank_settlement', 'bridge'],
  ]),
  { from: 'wallet', to: 'hold', code: 'reserve', sameOwner: true },
  { from: 'hold', to: 'wallet', code: 'release', sameOwner: true },
  ...moves('settle', [
    ['hold', 'wallet'],
    ['hold', 'bridge'],
    ['hold', 'bridge_stablecoin'],
    ['hold', 'card_settlement'],
    ['hold', 'bank_settlement'],
    ['hold', 'payout_settlement'],
  ]),
  ...moves('refund', [
    ['wallet', 'wallet'],
    ['fee', 'wallet'],
    ['fee', 'card_settlement'],
    ['fee', 'bank_settlement'],
    ['wallet', 'card_settlement'],
    ['wallet', 'bank_settlement'],
    ['card_settlement', 'wallet'],
    ['bank_settlement', 'wallet'],
    ['payout_settlement', 'wallet'],
    ['wallet', 'bridge'],
    ['bridge', 'wallet'],
    ['wallet', 'bridge_stablecoin'],
    ['bridge_stablecoin', 'wallet'],
    ['bridge_stablecoin', 'bridge_stablecoin'],
    ['bridge', 'card_settlement'],
    ['bridge', 'bank_settlement'],
    ['rounding', 'bridge'],
    ['rounding', 'bridge_stablecoin'],
    ['loss', 'card_settlement'],
    ['loss', 'bank_settlement'],
    ['loss', 'bridge'],
    ['bridge', 'loss'],
    ['card_settlement', 'loss'],
    ['bank_settlement', 'loss'],
  ]),
  ...moves('chargeback', [
    ['wallet', 'card_settlement'],
    ['wallet', 'bank_settlement'],
    ['loss', 'card_settlement'],
    ['loss', 'bank_settlement'],
  ]),
]

/** An account as it is opened and found again: the name is unique and says all the rest. */
export interface Account {
  readonly name: string
  readonly kind: AccountKind
  readonly currency: CurrencyCode
}

const account = (kind: AccountKind, name: string, currency: CurrencyCode): Account => ({ name, kind, currency })

/** What the wallet can spend in `currency`. */
export const walletAccount = (walletId: string, currency: CurrencyCode): Account =>
  account('wallet', `wallet:${walletId}:${currency}`, currency)

/** The wallet's money in `currency` that is set aside. */
export const holdAccount = (walletId: string, currency: CurrencyCode): Account =>
  account('hold', `hold:${walletId}:${currency}`, currency)

/** The side of the currency's exchange desk that is in `currency` itself. */
export const bridgeAccount = (currency: CurrencyCode): Account => account('bridge', `bridge:${currency}`, currency)

/** The stablecoin side of the currency's exchange desk: its own currency is the bridge's. */
export const bridgeStablecoinAccount = (currency: CurrencyCode): Account =>
  account('bridge_stablecoin', `bridge:${currency}/${bridgeCurrency}`, bridgeCurrency)

export const feeAccount = (currency: CurrencyCode): Account => account('fee', `fee:${currency}`, currency)

export const roundingAccount = (currency: CurrencyCode): Account =>
  account('rounding', `rounding:${currency}`, currency)

export const cardAccount = (currency: CurrencyCode): Account => account('card_settlement', `card:${currency}`, currency)

export const bankAccount = (currency: CurrencyCode): Account => account('bank_settlement', `bank:${currency}`, currency)

export const payoutAccount = (currency: CurrencyCode): Account =>
  account('payout_settlement', `payout:${currency}`, currency)

export const lossAccount = (currency: CurrencyCode): Account => account('loss', `loss:${currency}`, currency)
