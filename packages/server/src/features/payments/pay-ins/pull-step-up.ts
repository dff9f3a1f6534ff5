import type { Money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Price } from '../../exchange/exchange.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import { sourceName } from '../../risk/risk.ts'
import { type ConfirmedRequest, deriveRiskMovementId, type StepUp } from '../../transfers/transfers.ts'
import type { PaymentContext } from '../context.ts'
import { findBankAccount, findSavedCard } from '../instruments/instruments.ts'
import type { IntentOrder } from './payment-intents.ts'
import { computePulledUsdMinor } from '../records/payment-usage.ts'

interface Pull extends Pick<IntentOrder['terms'], 'bank_account_id' | 'saved_card_id'> {
  readonly charged: Money
  readonly price: Price | undefined
}

/**
 * Step-up for a deposit from a saved card or linked bank account, which an intruder in the account could charge.
 * Undefined for a card that is entered on the provider's page.
 */
export async function stepUpForPull(
  ctx: PaymentContext,
  db: Db,
  {
    caller,
    pull,
    source,
    idempotencyKey,
    confirmation,
  }: ConfirmedRequest & { readonly caller: Caller; readonly pull: Pull },
): Promise<StepUp | undefined> {
  const { bank_account_id: accountId = null, saved_card_id: cardId = null, charged, price } = pull
  if (accountId === null && cardId === null) return undefined
  const { userId } = caller
  const account = await findBankAccount(db, accountId)
  const card = await findSavedCard(db, cardId)
  const from = account
    ? ({ code: 'bank_account', params: { bank: account.bank_name, last4: account.last4 } } as const)
    : ({ code: 'card', params: { brand: card?.brand ?? '', last4: card?.last4 ?? '' } } as const)
  const candidate = {
    movementId: deriveRiskMovementId(source, userId, idempotencyKey),
    userId,
    kind: 'pull',
    amount: charged,
    source: sourceName(source, accountId ?? cardId),
    usdMinor: computePulledUsdMinor(ctx, charged, price),
  } as const
  const action: SensitiveAction = {
    action: 'add_money',
    subject: { from, amount: amountText(charged), ...(price ? { receives: amountText(price.target) } : {}) },
    hidden: { from: accountId ?? cardId ?? refuse('not_found'), idempotencyKey },
  }
  return { candidate, proof: { caller, action, confirmation } }
}
