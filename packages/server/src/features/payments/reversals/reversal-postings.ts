import * as chart from '@tern/ledger/chart'
import type { Leg } from '@tern/ledger/movement'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { readPrice } from '../../exchange/exchange.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Wallet, Wallets } from '../../wallets/wallets.ts'
import { chooseSettlementAccount } from '../records/payment-rows.ts'
import type { PaymentRow } from '../row-types.ts'

/** Reversed leg of a payment, with the ledger code for posting the original again. */
interface ReversalLeg extends Omit<Leg, 'code'> {
  readonly again: Leg['code']
  /** True if the share of a partial reversal is rounded up instead of down. */
  readonly isRoundedUp?: boolean
}

/** The wallet's leg, then those of the conversion and the fee. */
export type Pieces = readonly [wallet: ReversalLeg, ...conversion: ReversalLeg[]]

/** Legs that reverse a payment's posting, including its conversion if it had one. */
export interface Route {
  readonly wallet: Wallet
  /** Currency of the wallet's credit and of its reversal. */
  readonly currency: CurrencyCode
  /** Captured amount, in minor units. */
  readonly total: bigint
  readonly pieces: Pieces
  readonly lossAccountId: bigint
}

export async function readRoute(
  { wallets }: { readonly wallets: Pick<Wallets, 'accountId'> },
  db: Db,
  { payment, wallet }: { readonly payment: PaymentRow; readonly wallet: Wallet },
): Promise<Route> {
  const accountId = (account: chart.Account) => wallets.accountId(db, account)
  const price = payment.purpose !== 'send' && payment.locked_price ? readPrice(payment.locked_price) : undefined
  const currency = price?.target.currency ?? payment.currency
  const total = payment.amount_minor
  const from = await accountId(chart.walletAccount(wallet.id, currency))
  const settlement = await accountId(chooseSettlementAccount(payment))
  const lossAccountId = await accountId(chart.lossAccount(currency))
  const route = { wallet, currency, total, lossAccountId }
  if (!price) return { ...route, pieces: [{ from, to: settlement, amount: total, again: 'refund' }] }
  const { source, target, fee, crossing } = price
  const fees = await accountId(chart.feeAccount(fee.currency))
  if (source.currency === target.currency) {
    return {
      ...route,
      pieces: [
        { from, to: settlement, amount: target.minor, again: 'deposit', isRoundedUp: true },
        { from: fees, to: settlement, amount: fee.minor, again: 'fee' },
      ],
    }
  }
  const sourceBridgeId = await accountId(chart.bridgeAccount(source.currency))
  const sourceStablecoinId = await accountId(chart.bridgeStablecoinAccount(source.currency))
  const targetStablecoinId = await accountId(chart.bridgeStablecoinAccount(currency))
  const targetBridgeId = await accountId(chart.bridgeAccount(currency))
  const rounding = await accountId(chart.roundingAccount(bridgeCurrency))
  return {
    ...route,
    pieces: [
      { from, to: targetBridgeId, amount: target.minor, again: 'exchange', isRoundedUp: true },
      { from: targetStablecoinId, to: sourceStablecoinId, amount: crossing?.outflow.minor ?? 0n, again: 'exchange' },
      { from: rounding, to: sourceStablecoinId, amount: crossing?.residue.minor ?? 0n, again: 'rounding' },
      { from: sourceBridgeId, to: settlement, amount: source.minor, again: 'deposit', isRoundedUp: true },
      { from: fees, to: settlement, amount: fee.minor, again: 'fee' },
    ],
  }
}

/** Returns the pieces to move when the reversed amount changes from one total to another. */
export function computePiecesBetween(
  { pieces: [wallet, ...conversion], total }: Route,
  fromTotal: bigint,
  toTotal: bigint,
): Pieces {
  const [lower, higher] = fromTotal < toTotal ? [fromTotal, toTotal] : [toTotal, fromTotal]
  // Totals are rounded, so that the shares of partial reversals add up. The wallet's share is rounded up, so that small
  // reversals are never cheaper for the payer.
  const pieceBetween = (piece: ReversalLeg): ReversalLeg => {
    const share = (part: bigint) => (piece.amount * part + (piece.isRoundedUp ? total - 1n : 0n)) / total
    return { ...piece, amount: share(higher) - share(lower) }
  }
  return [pieceBetween(wallet), ...conversion.map(pieceBetween)]
}

/** Legs that reverse pieces; our loss account covers `loss` of the wallet's piece. */
export const buildReversalLegs = (route: Route, pieces: Pieces, loss: bigint, code: 'refund' | 'chargeback'): Leg[] =>
  withLoss(route, pieces, loss).map(({ from, to, amount }) => {
    return { from, to, amount, code: pieces.length > 1 ? 'refund' : code }
  })

/** Legs that return pieces: `loss` to our loss account, the rest to the wallet. */
export const buildReturnLegs = (route: Route, pieces: Pieces, loss: bigint): Leg[] =>
  withLoss(route, pieces, loss)
    .toReversed()
    .map(({ from, to, amount, again }) => ({ from: to, to: from, amount, code: again }))

function withLoss({ lossAccountId }: Route, [wallet, ...conversion]: Pieces, loss: bigint): ReversalLeg[] {
  const { to, amount } = wallet
  const lossLeg: ReversalLeg = { from: lossAccountId, to, amount: loss, again: 'refund' }
  return [{ ...wallet, amount: amount - loss }, lossLeg, ...conversion].filter((piece) => piece.amount > 0n)
}
