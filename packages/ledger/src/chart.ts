import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'

/**
 * Account kinds. `floor`: minimum balance in minor units; accounts without one represent external parties or the
 * product itself. Accounts of kinds that many movements share have a stripe per posting connection, and their balance
 * is the sum over kind and currency.
 */
export const accountKinds = {
  /** A user's spendable money in one currency. */
  wallet: { floor: 0n },
  /** A user's money reserved for an undecided movement. */
  hold: { floor: 0n },
  bridge: { floor: null, isStriped: true },
  bridge_stablecoin: { floor: null, isStriped: true },
  fee: { floor: null, isStriped: true },
  /** Rounding remainders. */
  rounding: { floor: null, isStriped: true },
  /** Claims on the card processor, or debts to it. */
  card_settlement: { floor: null, isStriped: true },
  /** Claims on the bank, or debts to it. */
  bank_settlement: { floor: null, isStriped: true },
  /** Debts to the partner that pays out to bank accounts. */
  payout_settlement: { floor: null, isStriped: true },
  /** Reversed money that could not be recovered from the user, and money refunded because of a dispute. */
  loss: { floor: null },
  /** The operator's own money at providers: see `OperatingName`. One kind, since each kind costs permitted moves. */
  operating: { floor: null },
  /** Claims on the venues where the desk flattens its positions, or debts to them. */
  venue_settlement: { floor: null },
} as const satisfies Record<string, { floor: bigint | null; isStriped?: true }>

export type AccountKind = keyof typeof accountKinds

export const stripedKinds: readonly string[] = Object.entries(accountKinds).flatMap(([kind, facts]) =>
  'isStriped' in facts ? [kind] : [],
)

/** Purpose of a leg. */
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
  | 'hedge'
  | 'operating'

/**
 * Names of the accounts of the operator's own money at providers. `provider_fee`: fees that providers charged us, an
 * expense. `operator_bank`: the operator's bank account, as far as providers pay to it and are funded from it.
 * `provider_reserve`: money that a provider keeps back. `provider_conversion`: positions from conversions by providers,
 * which sell one currency of ours for another. `provider_adjustment`: corrections by providers that concern no payment,
 * income or an expense. `suspense`: movements of a kind that is not known, until an operator has classified them.
 */
export type OperatingName =
  | 'provider_fee'
  | 'operator_bank'
  | 'provider_reserve'
  | 'provider_conversion'
  | 'provider_adjustment'
  | 'suspense'

/** Permitted route of money; with `sameOwner`, only within one wallet. */
export interface PermittedMove {
  readonly from: AccountKind
  readonly to: AccountKind
  readonly code: MoveCode
  readonly sameOwner?: true
}

const moves = (code: MoveCode, pairs: readonly (readonly [from: AccountKind, to: AccountKind])[]): PermittedMove[] =>
  pairs.map(([from, to]) => ({ from, to, code }))

/** All permitted moves; the ledger refuses others. A test compares them to the table `ledger.permitted_move`. */
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
    ['wallet', 'loss'],
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
    ['loss', 'wallet'],
    ['wallet', 'loss'],
    ['payout_settlement', 'loss'],
  ]),
  ...moves('hedge', [
    ['bridge', 'venue_settlement'],
    ['venue_settlement', 'bridge'],
    ['payout_settlement', 'bridge'],
    ['bridge', 'payout_settlement'],
  ]),
  ...moves('operating', [
    ['operating', 'card_settlement'],
    ['card_settlement', 'operating'],
    ['operating', 'payout_settlement'],
    ['payout_settlement', 'operating'],
  ]),
  ...moves('chargeback', [
    ['wallet', 'card_settlement'],
    ['wallet', 'bank_settlement'],
    ['loss', 'card_settlement'],
    ['loss', 'bank_settlement'],
  ]),
]

/** Account to open or find; its unique name determines the other fields. */
export interface Account {
  readonly name: string
  readonly kind: AccountKind
  readonly currency: CurrencyCode
}

const account = (kind: AccountKind, name: string, currency: CurrencyCode): Account => ({ name, kind, currency })

/** Spendable `currency` of the wallet. */
export const walletAccount = (walletId: string, currency: CurrencyCode): Account =>
  account('wallet', `wallet:${walletId}:${currency}`, currency)

/** Reserved `currency` of the wallet. */
export const holdAccount = (walletId: string, currency: CurrencyCode): Account =>
  account('hold', `hold:${walletId}:${currency}`, currency)

/** The exchange desk's account in `currency` itself. */
export const bridgeAccount = (currency: CurrencyCode): Account => account('bridge', `bridge:${currency}`, currency)

/** The desk's stablecoin counterpart for `currency`, kept in the bridge currency. */
export const bridgeStablecoinAccount = (currency: CurrencyCode): Account =>
  account('bridge_stablecoin', `bridge:${currency}/${bridgeCurrency}`, bridgeCurrency)

export const feeAccount = (currency: CurrencyCode): Account => account('fee', `fee:${currency}`, currency)

export const roundingAccount = (currency: CurrencyCode): Account =>
  account('rounding', `rounding:${currency}`, currency)

export const cardAccount = (currency: CurrencyCode): Account => account('card_settlement', `card:${currency}`, currency)

export const bankAccount = (currency: CurrencyCode): Account => account('bank_settlement', `bank:${currency}`, currency)

export const payoutAccount = (currency: CurrencyCode): Account =>
  account('payout_settlement', `payout:${currency}`, currency)

export const venueAccount = (currency: CurrencyCode): Account =>
  account('venue_settlement', `venue:${currency}`, currency)

export const lossAccount = (currency: CurrencyCode): Account => account('loss', `loss:${currency}`, currency)

export const operatingAccount = (name: OperatingName, currency: CurrencyCode): Account =>
  account('operating', `${name}:${currency}`, currency)
