import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { Outcome } from '@tern/ledger/movement'
import { type RefusalDetails, refuse, refuseField } from './refuse.ts'

/**
 * Returns whether a movement was posted or replayed; for a replay, the earlier posting or refusal must be read. Throws
 * a refusal for a refused movement; `details` describe the exceeded limit.
 */
export function acceptOutcome(outcome: Outcome & { readonly details?: RefusalDetails }): 'posted' | 'replayed' {
  if (outcome.status !== 'refused') return outcome.status
  switch (outcome.reason) {
    case 'refused_before':
      return 'replayed'
    case 'insufficient_funds':
      return refuseField('insufficient_funds', 'amount')
    case 'limit_exceeded':
      return outcome.details ? refuse('limit_exceeded', outcome.details) : refuseField('limit_exceeded', 'amount')
    case 'key_reused':
      return refuseField('idempotency_key_reused', 'Idempotency-Key')
    case 'not_authorized':
      return refuse('step_up_required')
    case 'already_used':
      return refuseField('quote_used', 'quote_id')
    case 'unknown_account':
    case 'currency_mismatch':
    case 'not_permitted':
      throw new Error(`the ledger refused a movement it was built for: ${outcome.reason}`)
  }
}

/** Repeats a refusal stored in the ledger. */
export function repeatRefusal({ code, details }: { readonly code: string; readonly details: unknown }): never {
  if (code === 'insufficient_funds' || code === 'limit_exceeded' || code === 'already_used') {
    if (details === null) acceptOutcome({ status: 'refused', reason: code })
  }
  // All other codes were stored by `storeRefusal`.
  return refuse(code as RefusalCode, details ?? {})
}
