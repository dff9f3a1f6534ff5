import type { Wallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import type { MovedPrice } from '../prices/moved-prices.ts'
import { holdingPostings, lateArrivalOf, releasePostings, settlementPostings } from '../records/payment-postings.ts'
import type { PaymentRow } from '../records/payment-rows.ts'
import { heldPullsOf } from './held-pulls.ts'

interface Arrival {
  readonly known: PaymentRow
  /** The same at the price that it has when its money comes. */
  readonly priced: PaymentRow
  readonly moved: MovedPrice | undefined
}

/** All that may be posted for money that has come, looked up before the transaction that decides. */
export async function arrivalPostings(context: PaymentContext, { known, priced, moved }: Arrival, wallet: Wallet) {
  const isRepriced = priced !== known
  const isUnmade = moved !== undefined && known.purpose === 'send'
  const settle = isUnmade ? undefined : await settlementPostings(context, priced, wallet, isRepriced)
  return {
    settle,
    wait: settle && (await holdingPostings(context, priced, wallet, isRepriced)),
    release: await releasePostings(context, known, wallet),
    late: await lateArrivalOf(context, priced, wallet, { isRepriced }),
    held: await heldPullsOf(context, priced, wallet, isRepriced),
  }
}
