import {
  bridgeAccount,
  bridgeStablecoinAccount,
  feeAccount,
  lossAccount,
  roundingAccount,
  walletAccount,
} from '@tern/ledger/chart'
import type { Leg } from '@tern/ledger/movement'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { type Price, priceFrom } from '../../exchange/exchange.ts'
import type { Wallet, Wallets } from '../../wallets/wallets.ts'
import { type PaymentRow, settlementAccountOf } from '../records/payment-rows.ts'

/** What a payment consisted of when it came: as it was captured, or through the exchange into another currency. */
export interface Route {
  readonly wallet: Wallet
  /** Undefined unless the wallet got another currency than was captured. */
  readonly price: Price | undefined
  /** What the wallet got, and gives back. */
  readonly currency: CurrencyCode
  readonly accounts: Accounts
}

interface Accounts {
  readonly settlement: bigint
  readonly wallet: bigint
  readonly loss: bigint
  /** The exchange desks, the fees and the rounding of a conversion. */
  readonly conversion:
    | Readonly<Record<'near' | 'nearStablecoin' | 'farStablecoin' | 'far' | 'fee' | 'rounding', bigint>>
    | undefined
}

/** The way a payment came. Looks accounts up, so it is to be called before a transaction begins. */
export async function routeOf(payment: PaymentRow, wallet: Wallet, { accountId }: Wallets): Promise<Route> {
  const locked_price =
    payment.purpose === 'deposit' && payment.locked_price ? priceFrom(payment.locked_price) : undefined
  const price = locked_price && locked_price.target.currency !== locked_price.source.currency ? locked_price : undefined
  const currency = price?.target.currency ?? payment.currency
  return {
    wallet,
    price,
    currency,
    accounts: {
      settlement: await accountId(settlementAccountOf(payment)),
      wallet: await accountId(walletAccount(wallet.id, currency)),
      loss: await accountId(lossAccount(currency)),
      conversion: price && {
        near: await accountId(bridgeAccount(price.source.currency)),
        nearStablecoin: await accountId(bridgeStablecoinAccount(price.source.currency)),
        farStablecoin: await accountId(bridgeStablecoinAccount(currency)),
        far: await accountId(bridgeAccount(currency)),
        fee: await accountId(feeAccount(price.fee.currency)),
        rounding: await accountId(roundingAccount(bridgeCurrency)),
      },
    },
  }
}

/** What belongs to a part of a payment, in minor units. `wallet` is in the wallet's currency, all others as captured. */
export interface Shares {
  readonly wallet: bigint
  readonly source: bigint
  readonly fee: bigint
  /** In minor units of the stablecoin. */
  readonly outflow: bigint
  /** In minor units of the stablecoin. */
  readonly residue: bigint
}

/**
 * What belongs to the first `part` of a captured amount. Parts that make up the whole add up to exactly what was moved
 * when it came. What the wallet gives is rounded up, so that taking back in small pieces is no gain for anybody.
 */
export function sharesOf(price: Price | undefined, part: bigint): Shares {
  if (!price) return { wallet: part, source: part, fee: 0n, outflow: 0n, residue: 0n }
  const whole = price.total.minor
  const down = (amount: bigint) => (amount * part) / whole
  const fee = down(price.fee.minor)
  return {
    wallet: (price.target.minor * part + whole - 1n) / whole,
    source: part - fee,
    fee,
    outflow: down(price.crossing?.outflow.minor ?? 0n),
    residue: down(price.crossing?.residue.minor ?? 0n),
  }
}

/** What belongs to the piece of a payment between two parts of it, whichever is larger. */
export function sharesBetween(price: Price | undefined, one: bigint, other: bigint): Shares {
  const [less, more] = one < other ? [one, other] : [other, one]
  const [before, after] = [sharesOf(price, less), sharesOf(price, more)]
  return {
    wallet: after.wallet - before.wallet,
    source: after.source - before.source,
    fee: after.fee - before.fee,
    outflow: after.outflow - before.outflow,
    residue: after.residue - before.residue,
  }
}

const above0 = (legs: readonly Leg[]): Leg[] => legs.filter(({ amount }) => amount > 0n)

/** Takes a piece of a payment back: `loss` of what the wallet should give comes from our own account for losses. */
export function legsBack(route: Route, shares: Shares, loss: bigint, code: 'refund' | 'chargeback'): Leg[] {
  const { settlement, wallet, loss: losses, conversion } = route.accounts
  const given = shares.wallet - loss
  if (!conversion) {
    return above0([
      { from: wallet, to: settlement, amount: given, code },
      { from: losses, to: settlement, amount: loss, code },
    ])
  }
  const { near, nearStablecoin, farStablecoin, far, fee, rounding } = conversion
  return above0([
    { from: wallet, to: far, amount: given, code: 'refund' },
    { from: losses, to: far, amount: loss, code: 'refund' },
    { from: farStablecoin, to: nearStablecoin, amount: shares.outflow, code: 'refund' },
    { from: rounding, to: nearStablecoin, amount: shares.residue, code: 'refund' },
    { from: near, to: settlement, amount: shares.source, code: 'refund' },
    { from: fee, to: settlement, amount: shares.fee, code: 'refund' },
  ])
}

/** Gives a piece that was taken back again: `loss` of it to our own account for losses, the rest to the wallet. */
export function legsAgain(route: Route, shares: Shares, loss: bigint): Leg[] {
  const { settlement, wallet, loss: losses, conversion } = route.accounts
  const given = shares.wallet - loss
  if (!conversion) {
    return above0([
      { from: settlement, to: losses, amount: loss, code: 'refund' },
      { from: settlement, to: wallet, amount: given, code: 'refund' },
    ])
  }
  const { near, nearStablecoin, farStablecoin, far, fee, rounding } = conversion
  return above0([
    { from: settlement, to: near, amount: shares.source, code: 'deposit' },
    { from: settlement, to: fee, amount: shares.fee, code: 'fee' },
    { from: nearStablecoin, to: farStablecoin, amount: shares.outflow, code: 'exchange' },
    { from: nearStablecoin, to: rounding, amount: shares.residue, code: 'rounding' },
    { from: far, to: losses, amount: loss, code: 'refund' },
    { from: far, to: wallet, amount: given, code: 'exchange' },
  ])
}
