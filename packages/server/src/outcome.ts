import type { Outcome } from '@tern/ledger/movement'
import { refuseField } from './refuse.ts'

/** Turns a refused outcome of the ledger into the refusal a person reads; gives back the others. */
export function acceptOutcome(outcome: Outcome): 'posted' | 'replayed' {
  if (outcome.status !== 'refused') return outcome.status
  switch (outcome.reason) {
    case 'insufficient_funds':
      return refuseField('insufficient_funds', 'amount')
    case 'limit_exceeded':
      return refuseField('limit_exceeded', 'amount')
    case 'key_reused':
      return refuseField('idempotency_key_reused', 'Idempotency-Key')
    case 'already_used':
      return refuseField('quote_used', 'quote_id')
    case 'unknown_account':
    case 'currency_mismatch':
    case 'not_permitted':
      throw new Error(`the ledger refused a movement it was built for: ${outcome.reason}`)
  }
}
