import { bridgeAccount, payoutAccount } from '@tern/ledger/chart'
import type { Leg } from '@tern/ledger/movement'
import type { CurrencyCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { derivedId } from '../../../platform/ids.ts'
import type { PaymentContext } from '../context.ts'
import { postMovementOnce } from '../records/payment-postings.ts'
import { toAmount } from '../records/payment-rows.ts'
import type { PayoutRow } from '../row-types.ts'

interface Conversion {
  readonly payout: PayoutRow
  readonly kind: 'payout' | 'payout_return'
  /** Amount debited from, or for a return credited to, our account at the provider. */
  readonly cost: Money
}

/**
 * Posts a provider's conversion once: the desk sells the held currency, and settles the payout in its own currency. So
 * the settlement accounts equal the provider's balances.
 */
export async function postConversion(ctx: PaymentContext, tx: Tx, { payout, kind, cost }: Conversion): Promise<void> {
  const amount = toAmount(payout)
  if (cost.currency === amount.currency) return
  const at = ctx.now()
  const id = derivedId(`conversion of ${kind}`, payout.id)
  const row = {
    payout_id: payout.id,
    kind,
    amount_minor: amount.minor,
    currency: amount.currency,
    cost_minor: cost.minor,
    cost_currency: cost.currency,
    posting_id: id,
    converted_at: at,
  }
  if (!(await insertRow(tx, 'payout_conversion', row, 'on conflict do nothing'))) return
  const { paid, held } = await conversionAccounts(ctx, tx, payout, cost)
  const move = ([partner, desk]: readonly [bigint, bigint], minor: bigint, isToDesk: boolean): Leg => ({
    ...(isToDesk ? { from: partner, to: desk } : { from: desk, to: partner }),
    amount: minor,
    code: 'hedge',
  })
  const isPayout = kind === 'payout'
  const legs = [move(paid, amount.minor, isPayout), move(held, cost.minor, !isPayout)]
  const { request_hash: requestHash } = payout
  const movement = { id, requestHash, kind: 'payout_conversion', reference: payout.id, at, legs }
  await postMovementOnce(ctx, tx, { movement, rows: [] })
}

/** Accounts of the partner and of the desk, in the payout's currency and in the held one. */
export async function conversionAccounts(
  { wallets }: Pick<PaymentContext, 'wallets'>,
  tx: Tx,
  payout: PayoutRow,
  cost: Money,
): Promise<{ readonly paid: readonly [bigint, bigint]; readonly held: readonly [bigint, bigint] }> {
  const read = async (currency: CurrencyCode) =>
    [
      await wallets.accountId(tx, payoutAccount(currency)),
      await wallets.accountId(tx, bridgeAccount(currency)),
    ] as const
  return { paid: await read(payout.currency), held: await read(cost.currency) }
}
