import { ApiError, newId } from '../server/api.ts'
import { recordReversal } from '../reports/books.ts'
import { recordOwnLine } from '../reports/own-money.ts'
import type { Checkout } from './checkout.ts'
import type { ControlEntry, ControlTarget } from '../control/control-targets.ts'
import { hasEnded, type Session, type Sessions, toSessionReply } from './sessions.ts'
import { type Services, transact } from '../server/services.ts'

interface Dependencies extends Services {
  sessions: Sessions
  checkout: Checkout
}

const isDisputed = ({ dispute_id, won_id, lost_at }: Session): boolean =>
  dispute_id !== null && won_id === null && lost_at === null

/** Returns the possible actions on a paid session. A card can be charged back even after a refund. */
function listPaidActions(session: Session): string[] {
  const { refund_id, part_refund_id, refund_failed_id, dispute_id, lost_at, fee_id } = session
  const isRefundable = refund_id === null && lost_at === null
  const isActionPossible: Readonly<Record<string, boolean>> = {
    refund: isRefundable,
    refund_half: isRefundable && part_refund_id === null && BigInt(session.amount_minor) > 1n,
    fail_refund: refund_id !== null && refund_failed_id === null,
    dispute: dispute_id === null,
    charge_fee: fee_id === null,
  }
  return Object.keys(isActionPossible).filter((action) => isActionPossible[action])
}

/** Returns the possible actions. A payment that ended without money can still be captured, as with some banks. */
function listActions(session: Session): string[] {
  if (session.status !== 'paid') return hasEnded(session) ? ['settle'] : ['settle', 'fail']
  return isDisputed(session) ? ['win_dispute', 'lose_dispute'] : listPaidActions(session)
}

function describeStatus(session: Session): string {
  const { status, dispute_id, won_id, lost_at, refund_id, refund_failed_id, part_refund_id } = session
  if (isDisputed(session)) return 'disputed'
  if (refund_id !== null && refund_failed_id === null) return 'refunded'
  if (lost_at !== null) return 'dispute lost'
  if (dispute_id !== null && won_id !== null) return 'dispute won'
  return part_refund_id === null ? status : 'half refunded'
}

const toEntry = (session: Session): ControlEntry => ({
  id: session.id,
  status: describeStatus(session),
  amount_minor: session.amount_minor,
  currency: session.currency,
  reference: session.reference,
  about: session.last_four === null ? 'No card yet' : `Card ${session.last_four}`,
  created_at: session.created_at,
  due_at: session.due_at ?? (session.status === 'open' ? session.expires_at : null),
  actions: listActions(session),
})

interface Step {
  isDone(session: Session): boolean
  /** Executes the step and returns the updated session. Call in a transaction. */
  execute(session: Session): Session
}

/** Steps that capture a payment or let it fail. */
const endingSteps = ({ sessions }: Dependencies): Readonly<Record<string, Step>> => ({
  settle: {
    isDone: ({ status }) => status === 'paid',
    execute: (session) =>
      hasEnded(session) || session.status === 'authorized' ? sessions.end(session, 'paid') : sessions.approve(session),
  },
  fail: { isDone: ({ status }) => status === 'failed', execute: (session) => sessions.end(session, 'failed') },
})

interface Reversal {
  readonly kind: 'refund' | 'chargeback_reversal'
  readonly prefix: string
  readonly minor: bigint
  readonly undoes?: string | null
}

/** Adds a reversal to the books; returns the id of the movement. */
function reverse(
  { store, clock, webhooks }: Dependencies,
  session: Session,
  { kind, prefix, minor, undoes }: Reversal,
) {
  const { currency, reference } = session
  const occurred_at = clock.now().toISOString()
  const line = { id: newId(prefix), kind, amount_minor: String(minor), currency, reference, occurred_at }
  recordReversal(store, webhooks, undoes ? { ...line, undoes } : line)
  return line.id
}

const computeHalf = ({ amount_minor: minor }: Session): bigint => BigInt(minor) / 2n

/** Returns the amount of a refund in minor units: all, or the rest after a half refund. */
const computeRefundable = (session: Session): bigint =>
  BigInt(session.amount_minor) - (session.part_refund_id === null ? 0n : computeHalf(session))

/** Steps of refunds and of failing refunds. */
function refundSteps(parts: Dependencies): Readonly<Record<string, Step>> {
  const { sessions } = parts
  const refund = (session: Session, minor: bigint): string =>
    reverse(parts, session, { kind: 'refund', prefix: 're', minor })
  const recordFailedRefund = (session: Session): string => {
    const movement = { kind: 'chargeback_reversal', prefix: 'rf', minor: computeRefundable(session) } as const
    return reverse(parts, session, { ...movement, undoes: session.refund_id })
  }
  return {
    refund: {
      isDone: ({ refund_id }) => refund_id !== null,
      execute: (session) =>
        sessions.change(session, {
          refund_id: refund(session, computeRefundable(session)),
          due_at: null,
          due_action: null,
        }),
    },
    refund_half: {
      isDone: ({ part_refund_id }) => part_refund_id !== null,
      execute: (session) => sessions.change(session, { part_refund_id: refund(session, computeHalf(session)) }),
    },
    fail_refund: {
      isDone: ({ refund_failed_id }) => refund_failed_id !== null,
      execute: (session) => sessions.change(session, { refund_failed_id: recordFailedRefund(session) }),
    },
  }
}

/** Steps of disputes, their outcomes, and the processor's dispute fees. */
function disputeSteps(parts: Dependencies): Readonly<Record<string, Step>> {
  const { sessions, checkout, clock, webhooks, store } = parts
  const recordWin = (session: Session): string => {
    const movement = { kind: 'chargeback_reversal', prefix: 'dw', minor: BigInt(session.amount_minor) } as const
    return reverse(parts, session, { ...movement, undoes: session.dispute_id })
  }
  const enqueueEvent = (type: string, data: object) =>
    webhooks.enqueue({ type, createdAt: clock.now(), data: { ...data } })
  return {
    dispute: {
      isDone: ({ dispute_id }) => dispute_id !== null,
      execute: (session) => checkout.dispute(session, clock.now()),
    },
    win_dispute: {
      isDone: ({ won_id }) => won_id !== null,
      execute: (session) => sessions.change(session, { won_id: recordWin(session) }),
    },
    lose_dispute: {
      isDone: ({ lost_at }) => lost_at !== null,
      execute: (session) => {
        const { id: session_id, dispute_id, reference } = session
        enqueueEvent('dispute.lost', { session_id, dispute_id, reference })
        return sessions.change(session, { lost_at: clock.now().toISOString() })
      },
    },
    // A fee moves the operator's own money, and none of the payment.
    charge_fee: {
      isDone: ({ fee_id }) => fee_id !== null,
      execute: (session) => {
        const { id: session_id, reference, currency } = session
        const fee_id = newId('fee')
        const amount_minor = '-1500'
        const occurred_at = clock.now().toISOString()
        recordOwnLine(store, { id: fee_id, kind: 'fee', balance: 'payments', amount_minor, currency, occurred_at })
        enqueueEvent('fee.charged', { fee_id, session_id, amount_minor: '1500', currency, reference })
        return sessions.change(session, { fee_id })
      },
    },
  }
}

/** Creates the manual controls for card payments. */
export function createCardPayments(parts: Dependencies): ControlTarget {
  const { sessions, checkout } = parts
  const steps: Readonly<Record<string, Step>> = Object.assign(
    endingSteps(parts),
    refundSteps(parts),
    disputeSteps(parts),
  )

  return {
    list(limit) {
      checkout.executeDue()
      return sessions.list(limit).map(toEntry)
    },
    execute(id, action) {
      const step = Object.hasOwn(steps, action) ? steps[action] : undefined
      if (!step) throw new ApiError(404, 'not_found', 'There is nothing at this address.')
      const session = checkout.find(id)
      if (step.isDone(session)) return toSessionReply(session)
      if (!listActions(session).includes(action)) {
        throw new ApiError(409, 'not_possible', `A payment that is ${describeStatus(session)} does not allow this.`)
      }
      return toSessionReply(transact(parts, () => step.execute(session)))
    },
  }
}
