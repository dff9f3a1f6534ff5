import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { Outcome } from '@tern/ledger/movement'
import { refuse, refuseField } from './refuse.ts'

/**
 * Turns a refused outcome of the ledger into the refusal a person reads; gives back the others. `replayed`: what was decided
 * about this movement before stands, be it a posting or a refusal, and is to be read.
 */
export function acceptOutcome(outcome: Outcome): 'posted' | 'replayed' {
  if (outcome.status !== 'refused') return outcome.status
  switch (outcome.reason) {
    case 'refused_before':
      return 'replayed'
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

/** Refuses again what stands refused in the ledger, with the same answer. */
export function refuseAgain({ code, details }: { readonly code: string; readonly details: unknown }): never {
  if (code === 'insufficient_funds' || code === 'limit_exceeded' || code === 'already_used') {
    if (details === null) acceptOutcome({ status: 'refused', reason: code })
  }
  // Only `keepRefusal` writes other codes.
  return refuse(code as RefusalCode, details ?? {})
}
