import { ApiError, newId } from '../server/api.ts'
import { recordReversal } from '../reports/books.ts'
import type { Checkout } from './checkout.ts'
import type { ControlEntry, ControlTarget } from '../control/control-targets.ts'
import { hasEnded, type Session, type Sessions, shownSession } from './sessions.ts'
import { type Services, transact } from '../server/services.ts'

interface Parts extends Services {
  sessions: Sessions
  checkout: Checkout
}

const isDisputed = ({ dispute_id, won_id }: Session): boolean => dispute_id !== null && won_id === null

/** Possible actions. A payment that ended without money can still be captured, as some banks do. */
function actionsOf(session: Session): string[] {
  if (session.status !== 'paid') return hasEnded(session) ? ['settle'] : ['settle', 'fail']
  if (isDisputed(session)) return ['win_dispute']
  if (session.refund_id !== null) return []
  return session.dispute_id === null ? ['refund', 'dispute'] : ['refund']
}

function shownStatus(session: Session): string {
  if (session.refund_id !== null) return 'refunded'
  if (session.dispute_id === null) return session.status
  return isDisputed(session) ? 'disputed' : 'dispute won'
}

const entryOf = (session: Session): ControlEntry => ({
  id: session.id,
  status: shownStatus(session),
  amount_minor: session.amount_minor,
  currency: session.currency,
  reference: session.reference,
  about: session.last_four === null ? 'No card yet' : `Card ${session.last_four}`,
  created_at: session.created_at,
  due_at: session.due_at ?? (session.status === 'open' ? session.expires_at : null),
  actions: actionsOf(session),
})

interface Step {
  /** Whether there is nothing left to do. */
  isDone(session: Session): boolean
  /** Returns the resulting payment; runs in a transaction. */
  work(session: Session): Session
}

function stepsOf({ store, clock, webhooks, sessions, checkout }: Parts): Readonly<Record<string, Step>> {
  function reverse(session: Session, kind: 'refund' | 'chargeback_reversal', prefix: string): string {
    const { amount_minor, currency, reference } = session
    const line = { id: newId(prefix), kind, amount_minor, currency, reference }
    recordReversal(store, webhooks, { ...line, occurred_at: clock.now().toISOString() })
    return line.id
  }

  return {
    settle: {
      isDone: ({ status }) => status === 'paid',
      work: (session) =>
        hasEnded(session) || session.status === 'authorized'
          ? sessions.end(session, 'paid')
          : sessions.approve(session),
    },
    fail: { isDone: ({ status }) => status === 'failed', work: (session) => sessions.end(session, 'failed') },
    refund: {
      isDone: ({ refund_id }) => refund_id !== null,
      work: (session) =>
        sessions.change(session, { refund_id: reverse(session, 'refund', 're'), due_at: null, due_action: null }),
    },
    dispute: {
      isDone: ({ dispute_id }) => dispute_id !== null,
      work: (session) => checkout.dispute(session, clock.now()),
    },
    win_dispute: {
      isDone: ({ won_id }) => won_id !== null,
      work: (session) => sessions.change(session, { won_id: reverse(session, 'chargeback_reversal', 'dw') }),
    },
  }
}

/** Manual control of card payments. */
export function createCardPayments(parts: Parts): ControlTarget {
  const { sessions, checkout } = parts
  const steps = stepsOf(parts)

  return {
    list(limit) {
      checkout.executeDue()
      return sessions.list(limit).map(entryOf)
    },
    act(id, action) {
      const step = Object.hasOwn(steps, action) ? steps[action] : undefined
      if (!step) throw new ApiError(404, 'not_found', 'There is nothing at this address.')
      const session = checkout.find(id)
      if (step.isDone(session)) return shownSession(session)
      if (!actionsOf(session).includes(action)) {
        throw new ApiError(409, 'not_possible', `A payment that is ${shownStatus(session)} does not allow this.`)
      }
      return shownSession(transact(parts, () => step.work(session)))
    },
  }
}
