import type { cancelPayment, paymentStatus } from '@tern/contract/payments'
import type { Reply } from '@tern/contract/endpoint'
import { money, toDecimal } from '@tern/money/money'
import { refuse } from '../../refuse.ts'
import type { BankAccounts } from './bank-accounts.ts'
import type { Ground } from './ground.ts'
import type { PaymentRow } from './payment-row.ts'
import type { SavedCards } from './saved-cards.ts'
import type { Settlement } from './settlement.ts'

/** Payments on their way to the provider: begun once for each key, asked about, given up. */
export interface Funding {
  /** How a payment of this user stands. Refuses `not_found`. */
  status(userId: bigint, paymentId: string): Promise<Reply<typeof paymentStatus>>
  /** Gives up a payment that has not been made. Refuses `not_found`, `not_cancelable`, `provider_unavailable`. */
  cancel(userId: bigint, paymentId: string): Promise<Reply<typeof cancelPayment>>
}

export function createFunding(
  { pool }: Ground,
  _parts: { settlement: Settlement; savedCards: SavedCards; bankAccounts: BankAccounts },
): Funding {
  return {
    async status(userId, paymentId) {
      const { rows } = await pool.query<PaymentRow>('select * from payment where id = $1 and user_id = $2', [
        paymentId,
        userId,
      ])
      const payment = rows[0] ?? refuse('not_found')
      return {
        // That somebody has to look at a payment is for operators; for its owner it has not been decided.
        status: payment.status === 'needs_review' ? 'pending' : payment.status,
        transaction_id: payment.transaction_id,
        purpose: payment.purpose,
        method: payment.method,
        amount: toDecimal(money(payment.currency, payment.amount_minor)),
        currency: payment.currency,
        reason: null,
        redirectUrl: payment.status === 'pending' ? payment.redirect_url : null,
      }
    },
    cancel: () => Promise.reject(new Error('being built')),
  }
}
