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
  const locked = payment.purpose === 'deposit' && payment.locked_price ? priceFrom(payment.locked_price) : undefined
  const price = locked && locked.target.currency !== locked.source.currency ? locked : undefined
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

/** What belongs to a part of a payment, in minor units: `wallet` in the wallet's currency, the rest as captured. */
export interface Shares {
  readonly wallet: bigint
  readonly source: bigint
  readonly fee: bigint
  /** In minor units of the stablecoin. */
  readonly outflow: bigint
  /** In minor units of the stablecoin. */
  readonly residue: bigint
}

/** The share of the first `part` captured. Shares add up; the wallet's rounds up, so small pieces gain nothing. */
function sharesOf(price: Price | undefined, part: bigint): Shares {
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
  const share = (name: keyof Shares) => after[name] - before[name]
  return {
    ...{ wallet: share('wallet'), source: share('source'), fee: share('fee') },
    ...{ outflow: share('outflow'), residue: share('residue') },
  }
}

/** How a piece of a payment is taken back: `loss` of what the wallet should give comes from our account for losses. */
export function legsBack(route: Route, shares: Shares, loss: bigint, code: 'refund' | 'chargeback'): Leg[] {
  const codeBack = route.accounts.conversion ? 'refund' : code
  return piecesOf(route, shares, loss).map(({ from, to, amount }) => ({ from, to, amount, code: codeBack }))
}

/** How a piece that was taken back is given again: `loss` of it to our account for losses, the rest to the wallet. */
export const legsAgain = (route: Route, shares: Shares, loss: bigint): Leg[] =>
  piecesOf(route, shares, loss)
    .toReversed()
    .map(({ from, to, amount, again }) => ({ from: to, to: from, amount, code: again }))

/** What moves when a piece is taken back, and the code under which it moves the other way. */
interface Piece extends Omit<Leg, 'code'> {
  readonly again: Leg['code']
}

function piecesOf({ accounts }: Route, shares: Shares, loss: bigint): Piece[] {
  const { settlement, wallet, loss: losses, conversion } = accounts
  const to = conversion?.far ?? settlement
  const pieces: Piece[] = [
    { from: wallet, to, amount: shares.wallet - loss, again: conversion ? 'exchange' : 'refund' },
    { from: losses, to, amount: loss, again: 'refund' },
  ]
  if (conversion) {
    const { near, nearStablecoin, farStablecoin, fee, rounding } = conversion
    pieces.push(
      { from: farStablecoin, to: nearStablecoin, amount: shares.outflow, again: 'exchange' },
      { from: rounding, to: nearStablecoin, amount: shares.residue, again: 'rounding' },
      { from: near, to: settlement, amount: shares.source, again: 'deposit' },
      { from: fee, to: settlement, amount: shares.fee, again: 'fee' },
    )
  }
  return pieces.filter(({ amount }) => amount > 0n)
}
