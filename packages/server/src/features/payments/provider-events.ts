import type { Kyc } from '../kyc/kyc.ts'
import type { Providers } from '../../platform/providers/providers.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Payments } from './payments.ts'
import type { DeliveredEvent } from './webhooks.ts'

export interface EventReceivers {
  readonly kyc: Pick<Kyc, 'receiveEvent'>
  readonly payments: Pick<Payments, 'receiveEvent'>
  readonly providers: Pick<Providers, 'money'>
}

/**
 * Receives an event of a provider of payments, of identity checks, or of both: each provider has one webhook address.
 * Refuses `not_found` and `signature_invalid`.
 */
export async function receiveProviderEvent(
  { kyc, payments, providers }: EventReceivers,
  event: DeliveredEvent,
): Promise<void> {
  const outcome = await kyc.receiveEvent(event)
  if (outcome === 'taken_in') return
  if (outcome !== 'not_ours' && !providers.money.find(event.provider)) {
    if (outcome === 'not_authentic') refuse('signature_invalid')
    return
  }
  await payments.receiveEvent(event)
}
