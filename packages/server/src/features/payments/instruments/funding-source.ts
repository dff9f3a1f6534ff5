import type pg from 'pg'
import type { depositRequest } from '@tern/contract/payments'
import type { CurrencyCode } from '@tern/money/currency'
import type * as z from 'zod/mini'
import { type Db, transact } from '../../../platform/database/db.ts'
import { refuseField } from '../../../platform/refuse.ts'
import { chooseProvider, findProvider, requireDebits, type PaymentContext } from '../context.ts'
import type { IntentOrder } from '../pay-ins/payment-intents.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { requireKnownHolder } from './holders.ts'
import { loadInstruments, usableAccount } from './instruments.ts'
import type { PaymentRow } from '../row-types.ts'

/** Payment instrument and quote as requested. */
export type FundingSource = Pick<
  z.output<typeof depositRequest>,
  'bankAccountId' | 'paymentMethodId' | 'saveCard' | 'quote_id'
>

interface FundingChoice {
  readonly userId: bigint
  readonly input: FundingSource & { readonly method: PaymentRow['method'] }
  readonly currency: CurrencyCode
}

/**
 * Resolves the instrument that pays in `currency`, and its provider, which the rules choose for a new card. Refuses
 * `bank_account_needed`, `bank_account_unavailable`, `provider_unavailable`, `payment_method_not_found` and
 * `currency_not_supported`.
 */
export async function resolveFundingSource(
  ctx: PaymentContext,
  pool: pg.Pool,
  { userId, input, currency }: FundingChoice,
): Promise<Pick<IntentOrder['terms'], 'provider' | 'bank_account_id' | 'saved_card_id' | 'save_card'>> {
  if (input.method === 'bank') {
    const account = await usableAccount(ctx, pool, { userId, id: input.bankAccountId })
    const { provider, id, currency: accepted } = account
    requireDebits(ctx, account)
    if (accepted !== currency) {
      const reason = { code: 'account_currency', params: { currency: accepted } } as const
      return refuseField('currency_not_supported', 'bankAccountId', reason)
    }
    await requireKnownHolder(ctx, pool, { ...account, user_id: userId })
    // A payment from this account would have to be held.
    const isHolderStopped = await transact(pool, (tx) => ctx.counterparties.areStopped(tx, id))
    if (isHolderStopped) refuseField('bank_account_unavailable', 'bankAccountId')
    return { provider, bank_account_id: id }
  }
  if (input.paymentMethodId === undefined) {
    return chooseCardProvider(ctx, pool, { userId, currency, savesCard: input.saveCard ?? false })
  }
  const cards = await loadInstruments(ctx, pool, { table: 'saved_card', userId })
  const card = cards.find(({ id }) => id === input.paymentMethodId)
  if (!card) return refuseField('payment_method_not_found', 'paymentMethodId')
  return { provider: card.provider, saved_card_id: card.id }
}

/** Chooses the provider of a new card. A card is not saved if no provider that the rules allow can save it. */
async function chooseCardProvider(
  ctx: PaymentContext,
  pool: pg.Pool,
  { savesCard, ...card }: { readonly userId: bigint; readonly currency: CurrencyCode; readonly savesCard: boolean },
): Promise<Pick<IntentOrder['terms'], 'provider' | 'save_card'>> {
  const what = { ...card, method: 'card' } as const
  const saving = savesCard ? await findProvider(ctx, pool, { ...what, savesCard }) : undefined
  if (saving !== undefined) return { provider: saving, save_card: true }
  return { provider: await chooseProvider(ctx, pool, what), save_card: false }
}

/** Returns whether a new card that pays in the wallet's currency can be saved. */
export async function savesCards(ctx: PaymentContext, db: Db, userId: bigint): Promise<boolean> {
  const currency = (await findWallet(db, userId))?.baseCurrency
  if (currency === undefined) return false
  return (await findProvider(ctx, db, { userId, currency, method: 'card', savesCard: true })) !== undefined
}
