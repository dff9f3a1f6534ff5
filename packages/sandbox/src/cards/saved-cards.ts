import { fingerprint, newId, requireFound } from '../server/api.ts'
import { type CardDetails, findCardByLastFour } from './cards.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'

interface Row {
  last_four: string
  exp_month: number
  exp_year: number
  forgotten_at: string | null
}

/** Derives a fingerprint, which is equal for equal card numbers. */
export const deriveFingerprint = (lastFour: string): string => `fp_${fingerprint('card', lastFour).slice(0, 32)}`

/** Returns a saved card as in the API's reply. All test cards have the same brand. */
export const toCardReply = (token: string, lastFour: string, expMonth: number, expYear: number): object => ({
  token,
  fingerprint: deriveFingerprint(lastFour),
  brand: 'Visa',
  last4: lastFour,
  exp_month: expMonth,
  exp_year: expYear,
})

export type SavedCards = ReturnType<typeof createSavedCards>

/** Creates the store of cards, which are saved with the payer's consent. */
export function createSavedCards(store: Store, clock: Clock) {
  const requireRow = (token: string): Row =>
    requireFound(store.get<Row>('select * from kept_card where token = ?', token), 'card')

  return {
    /** Saves a card; returns its new token. Call in the transaction of the payment. */
    save(last_four: string, exp_month: number, exp_year: number): string {
      const token = newId('card')
      const created_at = clock.now().toISOString()
      const fingerprint = deriveFingerprint(last_four)
      store.insert('kept_card', { token, fingerprint, last_four, exp_month, exp_year, created_at })
      return token
    },

    /** Returns the card of a token. Throws ApiError 404 if unknown or deleted. */
    find(token: string): CardDetails {
      const { last_four, exp_month, exp_year, forgotten_at } = requireRow(token)
      const card = requireFound(forgotten_at === null ? findCardByLastFour(last_four) : undefined, 'card')
      return { card, expMonth: exp_month, expYear: exp_year }
    },

    /** Deletes the card of a token, idempotently. Throws ApiError 404 if unknown. */
    delete(token: string): void {
      requireRow(token)
      store.run(
        'update kept_card set forgotten_at = ? where token = ? and forgotten_at is null',
        clock.now().toISOString(),
        token,
      )
    },
  }
}
