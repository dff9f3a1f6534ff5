import { cardAccount, walletAccount } from '@tern/ledger/chart'
import { type Money, money } from '@tern/money/money'
import type { CollectionState } from '@tern/providers/card/port'
import { only, type Tx } from '../../db.ts'
import { derivedId, isUuid, newId } from '../../ids.ts'
import { acceptOutcome } from '../../outcome.ts'
import { openCase } from './cases.ts'
import type { Ground, Taking } from './ground.ts'
import { carryOut } from './intake.ts'
import type { PaymentRow } from './payment-row.ts'
import type { SavedCards } from './saved-cards.ts'
import { noteLine } from './settlement-lines.ts'

type Certain = Exclude<CollectionState, { status: 'unknown' }>
type Settled = Extract<CollectionState, { status: 'settled' }>

/** What the provider says about payments by card and bank, and what follows from it: credited, sent on, or failed; once. */
export interface Settlement {
  /** What follows from a state of a payment; undefined when it is none of ours, or nothing follows from it. */
  taking(sessionId: string, state: Certain): Promise<Taking | undefined>
  /** Asks the provider about one pending payment; nothing happens while it does not know. */
  check(paymentId: string): Promise<void>
  /** Asks about all pending ones that were last asked about before this moment. */
  checkPending(askedBefore: Date): Promise<void>
}

const mostAtOnce = 500

export function createSettlement(ground: Ground, _savedCards: SavedCards): Settlement {
  const { pool, provider, now, log } = ground

  async function taking(_sessionId: string, state: Certain): Promise<Taking | undefined> {
    if (state.status === 'open') return undefined
    const destination = await destinationOf(ground, state.paymentId)
    if (!destination) return undefined
    return async (tx) => {
      const payment = await lock(tx, destination)
      const decision = decide(payment, state)
      await decided(ground, tx, { payment, destination, state, decision })
      return decision
    }
  }

  async function check(paymentId: string): Promise<void> {
    // Marked before the attempt, so that one which fails or stays unknown goes behind those that still wait.
    const { rows } = await pool.query<PaymentRow>(
      `update payment set asked_at = $2 where id = $1 and status = 'pending' and session_id is not null returning *`,
      [paymentId, now()],
    )
    const sessionId = rows[0]?.session_id
    if (!sessionId) return
    const state = await provider.card.lookup(sessionId)
    if (state.status === 'unknown') return
    const work = await taking(sessionId, state)
    if (work) await carryOut(pool, work)
  }

  return {
    taking,
    check,
    async checkPending(askedBefore) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from payment where status = 'pending' and session_id is not null and asked_at < $1
          order by asked_at limit $2`,
        [askedBefore, mostAtOnce],
      )
      for (const { id } of rows) {
        try {
          await check(id)
        } catch (error) {
          log.error({ err: error, paymentId: id }, 'a payment could not be checked')
        }
      }
    },
  }
}

/** Where a payment's money goes. Found before any transaction begins: inside one, no second connection is asked for. */
interface Destination {
  readonly paymentId: string
  readonly walletId: string
  readonly settlementAccount: bigint
  readonly walletAccount: bigint
}

async function destinationOf({ pool, wallets }: Ground, paymentId: string): Promise<Destination | undefined> {
  if (!isUuid(paymentId)) return undefined
  const { rows } = await pool.query<PaymentRow>('select * from payment where id = $1', [paymentId])
  const payment = rows[0]
  const wallet = payment && (await wallets.walletOf(payment.user_id))
  if (!wallet) return undefined
  return {
    paymentId,
    walletId: wallet.id,
    settlementAccount: await wallets.accountId(cardAccount(payment.currency)),
    walletAccount: await wallets.accountId(walletAccount(wallet.id, payment.currency)),
  }
}

async function lock(tx: Tx, { paymentId }: Destination): Promise<PaymentRow> {
  const { rows } = await tx.query<PaymentRow>('select * from payment where id = $1 for update', [paymentId])
  return only(rows)
}

interface Decided {
  readonly payment: PaymentRow
  readonly destination: Destination
  readonly state: Certain
  readonly decision: Decision
}

/** Carries out a decision; the posting comes last, so that hot accounts are held as briefly as can be. */
async function decided(ground: Ground, tx: Tx, { payment, destination, state, decision }: Decided): Promise<void> {
  const at = ground.now()
  if (decision === 'failed' && state.status === 'declined') {
    await tx.query(`update payment set status = 'failed', reason = $2, updated_at = $3 where id = $1`, [
      payment.id,
      state.reason,
      at,
    ])
  } else if (decision === 'amount differs' && state.status === 'settled') {
    await leaveToPerson(ground, tx, payment, state)
  } else if (decision === 'credited' && state.status === 'settled') {
    await credit(ground, tx, { payment, destination, state })
  }
}

/** The provider took another amount than was asked for: nothing is credited until somebody has looked at it. */
async function leaveToPerson({ now, log }: Ground, tx: Tx, payment: PaymentRow, state: Settled): Promise<void> {
  const { amount, captureId } = state
  await tx.query(`update payment set status = 'needs_review', capture_id = $2, updated_at = $3 where id = $1`, [
    payment.id,
    captureId,
    now(),
  ])
  await openCase(
    tx,
    {
      kind: 'unplaced',
      provider: payment.provider,
      subject: captureId,
      reference: payment.id,
      amount,
      detail: `Captured ${amount.minor} ${amount.currency} in minor units; asked for were ${payment.amount_minor} ${payment.currency}.`,
    },
    now(),
  )
  log.error({ paymentId: payment.id, captureId }, 'the provider captured another amount than was asked for')
}

async function credit(
  { mover, now }: Ground,
  tx: Tx,
  { payment, destination, state }: { payment: PaymentRow; destination: Destination; state: Settled },
): Promise<void> {
  const { settlementAccount: from, walletAccount: to, walletId } = destination
  const amount: Money = money(payment.currency, payment.amount_minor)
  const at = now()
  const transactionId = newId(at)
  const postingId = derivedId('card deposit', payment.id)
  await tx.query(
    `update payment set status = 'completed', capture_id = $2, transaction_id = $3, updated_at = $4 where id = $1`,
    [payment.id, state.captureId, transactionId, at],
  )
  const { provider, id: reference } = payment
  await noteLine(tx, { provider, id: state.captureId, kind: 'capture', amount, reference, postingId, at })
  const outcome = await mover.moveWithin(tx, {
    movement: {
      id: postingId,
      requestHash: payment.request_hash,
      kind: 'deposit',
      reference: transactionId,
      at,
      legs: [{ from, to, amount: amount.minor, code: 'deposit' }],
    },
    rows: [
      {
        userId: payment.user_id,
        kind: 'DEPOSIT',
        status: 'COMPLETED',
        recipientId: payment.user_id,
        walletId,
        toWalletId: walletId,
        description: 'Card deposit',
        source: amount,
        target: amount,
        fee: money(amount.currency, 0n),
        paymentSource: 'card',
        paymentId: payment.id,
      },
    ],
  })
  if (acceptOutcome(outcome) !== 'posted') throw new Error(`payment ${payment.id} was credited twice`)
}

type Decision = 'credited' | 'failed' | 'already completed' | 'already failed' | 'amount differs' | 'already in review'

/**
 * What a state means for a payment. Money that has come stays: only a settled state changes a failed payment, and none
 * changes a payment that a person has to look at.
 */
function decide(payment: PaymentRow, state: Certain): Decision {
  if (payment.status === 'completed' || payment.status === 'reversed') return 'already completed'
  if (payment.status === 'needs_review') return 'already in review'
  if (state.status !== 'settled') return payment.status === 'failed' ? 'already failed' : 'failed'
  const { currency, minor } = state.amount
  return currency === payment.currency && minor === payment.amount_minor ? 'credited' : 'amount differs'
}
