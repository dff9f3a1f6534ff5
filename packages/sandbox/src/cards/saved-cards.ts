import { ApiError, fingerprint, newId } from '../server/api.ts'
import { type CardDetails, cardEnding } from './cards.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'

export interface ShownCard {
  token: string
  /** Equal for the same card number. */
  fingerprint: string
  brand: string
  last4: string
  exp_month: number
  exp_year: number
}

interface Row {
  token: string
  last_four: string
  exp_month: number
  exp_year: number
  forgotten_at: string | null
}

const fingerprintOf = (lastFour: string): string => `fp_${fingerprint('card', lastFour).slice(0, 32)}`

/** A saved card for the API; all test cards have one brand. */
export const shownCard = (token: string, lastFour: string, expMonth: number, expYear: number): ShownCard => ({
  token,
  fingerprint: fingerprintOf(lastFour),
  brand: 'Visa',
  last4: lastFour,
  exp_month: expMonth,
  exp_year: expYear,
})

/** Cards saved with the payer's consent. */
export interface SavedCards {
  /** Returns a new token; call in the payment's transaction. */
  keep(lastFour: string, expMonth: number, expYear: number): string
  /** The card for a token. Throws ApiError 404, also once deleted. */
  find(token: string): CardDetails
  /** Deletes a token. Throws ApiError 404 for one that never existed. */
  forget(token: string): void
}

export function createKeptCards(store: Store, clock: Clock): SavedCards {
  function rowOf(token: string): Row {
    const [row] = store.all<Row>(
      'select token, last_four, exp_month, exp_year, forgotten_at from kept_card where token = ?',
      token,
    )
    if (!row) throw new ApiError(404, 'not_found', 'There is no such card.')
    return row
  }

  return {
    keep(lastFour, expMonth, expYear) {
      const token = newId('card')
      store.run(
        `insert into kept_card (token, fingerprint, last_four, exp_month, exp_year, created_at)
         values (?, ?, ?, ?, ?, ?)`,
        token,
        fingerprintOf(lastFour),
        lastFour,
        expMonth,
        expYear,
        clock.now().toISOString(),
      )
      return token
    },

    find(token) {
      const { last_four, exp_month, exp_year, forgotten_at } = rowOf(token)
      const card = forgotten_at === null ? cardEnding(last_four) : undefined
      if (!card) throw new ApiError(404, 'not_found', 'There is no such card.')
      return { card, expMonth: exp_month, expYear: exp_year }
    },

    forget(token) {
      rowOf(token)
      store.run(
        'update kept_card set forgotten_at = ? where token = ? and forgotten_at is null',
        clock.now().toISOString(),
        token,
      )
    },
  }
}
