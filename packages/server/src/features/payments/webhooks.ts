import type { EventHeaders, EventNews, ProviderEvent } from '@tern/providers/events/port'
import { retryOnConflict } from '../../platform/database/db.ts'
import type { BankLinkIntake } from './instruments/bank-links.ts'
import type { PaymentContext, Transition } from './context.ts'
import type { Payouts } from './payouts/payouts.ts'
import type { Reversals } from './disputes/reversals.ts'
import type { Settlement } from './pay-ins/settlement.ts'

export interface Webhooks {
  /** Takes in one event of the provider, however often and whenever it comes. Throws SignatureError when it is not authentic. */
  receiveEvent(rawBody: Buffer, headers: EventHeaders): Promise<void>
}

export interface IntakeParts {
  readonly settlement: Settlement
  readonly reversals: Reversals
  readonly payouts: Payouts
  readonly bankLinks: BankLinkIntake
}

/** Every authentic event once, by the provider's own id; what it tells goes to the part that it is about. */
export function createWebhooks(
  context: PaymentContext,
  { settlement, reversals, payouts, bankLinks }: IntakeParts,
): Webhooks {
  const { pool, provider, notifications, now, log } = context

  function transitionOf(event: EventNews): Promise<Transition | undefined> {
    switch (event.about) {
      case 'payment':
        return settlement.taking(event.sessionId, event.state)
      case 'reversal':
        return reversals.taking(event.line)
      case 'payout':
        return payouts.taking(event.state)
      case 'link':
        return bankLinks.linkTaking(event.state)
      case 'unhandled':
        return Promise.resolve(undefined)
    }
  }

  return {
    async receiveEvent(rawBody, headers) {
      // The signature is checked against the machine's own time: the product's clock may be moved in sandbox mode.
      const event = await answered(provider.events.verify(rawBody, headers, new Date()))
      if (event.about === 'unhandled') return
      const work = await transitionOf(event)
      if (!work) {
        log.warn({ eventId: event.id, about: event.about }, 'nothing follows from an event')
        return
      }
      await retryOnConflict(pool, async (tx) => {
        const seen = await tx.query(
          `insert into provider_event (provider, id, subject_id, received_at, outcome) values ($1, $2, $3, $4, 'received')
           on conflict do nothing`,
          [provider.name, event.id, subjectOf(event), now()],
        )
        if (seen.rowCount === 0) return
        const outcome = await work(tx)
        await tx.query('update provider_event set outcome = $3 where provider = $1 and id = $2', [
          provider.name,
          event.id,
          outcome,
        ])
      })
      notifications.deliverSoon()
    },
  }
}

/** What an event tells, asked for where it does not tell it itself. Throws when nobody knows: it will be sent again. */
async function answered(event: ProviderEvent): Promise<EventNews & { id: string }> {
  if (event.about !== 'ask') return event
  const { id } = event
  const news = await event.ask()
  if (news.about === 'unknown') throw new Error(`what the event ${id} is about is not known: ${news.reason}`)
  return { ...news, id }
}

/** Our own id of what an event is about. */
function subjectOf(event: Exclude<EventNews, { about: 'unhandled' }>): string | null {
  if (event.about === 'reversal') return event.line.reference
  if (event.about === 'payment') return event.state.paymentId
  return event.about === 'payout' ? event.state.payoutId : event.state.linkId
}
