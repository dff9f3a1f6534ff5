import { cardAccount, walletAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { CardEvent, CardProvider, EventHeaders } from '@tern/providers/card/port'
import type pg from 'pg'
import { only, transact, type Tx } from '../../db.ts'
import { derivedId, isUuid, newId } from '../../ids.ts'
import { acceptOutcome } from '../../outcome.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'

export interface PaymentRow {
  id: string
  user_id: bigint
  status: 'pending' | 'completed' | 'failed' | 'needs_review'
  amount_minor: bigint
  currency: CurrencyCode
  session_id: string | null
  redirect_url: string | null
  request_hash: Buffer
  transaction_id: string | null
}

/** Where payments tell what an operator has to know. */
export interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** What a provider has said for certain about a payment. */
type Verdict =
  | { readonly status: 'settled'; readonly amount: Money; readonly captureId: string }
  | { readonly status: 'declined' }

interface Options {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly card: CardProvider
  readonly providerName: string
  readonly now: () => Date
  readonly log: Log
}

/** Takes in what the card provider says about payments, by event or when asked, and moves the money exactly once. */
export function createSettlement(options: Options) {
  const { pool, card, providerName, now, log } = options

  async function receiveCardEvent(rawBody: Buffer, headers: EventHeaders): Promise<void> {
    // The signature is checked against the machine's own time: the product's clock may be moved in sandbox mode.
    const event = card.verifyEvent(rawBody, headers, new Date())
    if (event.status === 'unhandled') return
    const destination = await destinationOf(options, event.paymentId)
    if (!destination) {
      log.warn({ eventId: event.id }, 'an event about a payment that is not ours')
      return
    }
    const verdict = verdictOf(event)
    await transact(pool, async (tx) => {
      const seen = await tx.query(
        `insert into provider_event (provider, id, payment_id, received_at, outcome) values ($1, $2, $3, $4, 'received')
         on conflict do nothing`,
        [providerName, event.id, destination.paymentId, now()],
      )
      if (seen.rowCount === 0) return
      const payment = await lock(tx, destination)
      const decision = decide(payment, verdict)
      await tx.query('update provider_event set outcome = $3 where provider = $1 and id = $2', [
        providerName,
        event.id,
        decision,
      ])
      await carryOut(options, tx, payment, destination, verdict, decision)
    })
  }

  async function check(paymentId: string): Promise<void> {
    // Marked before the attempt, so that one which fails or stays unknown goes behind those that still wait.
    const { rows } = await pool.query<PaymentRow>(
      `update payment set asked_at = $2 where id = $1 and status = 'pending' and session_id is not null returning *`,
      [paymentId, now()],
    )
    const sessionId = rows[0]?.session_id
    const destination = sessionId && (await destinationOf(options, paymentId))
    if (!sessionId || !destination) return
    const state = await card.lookup(sessionId)
    if (state.status === 'open' || state.status === 'unknown') return
    const verdict: Verdict = state.status === 'settled' ? state : { status: 'declined' }
    await transact(pool, async (tx) => {
      const payment = await lock(tx, destination)
      await carryOut(options, tx, payment, destination, verdict, decide(payment, verdict))
    })
  }

  return { receiveCardEvent, check }
}

/** Where a payment's money goes. Found before any transaction begins: inside one, no second connection is asked for. */
interface Destination {
  readonly paymentId: string
  readonly walletId: string
  readonly settlementAccount: bigint
  readonly walletAccount: bigint
}

async function destinationOf({ pool, wallets }: Options, paymentId: string): Promise<Destination | undefined> {
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

async function credit(
  { mover, now }: Options,
  tx: Tx,
  payment: PaymentRow,
  destination: Destination,
  verdict: Verdict & { status: 'settled' },
): Promise<void> {
  const { settlementAccount: from, walletAccount: to, walletId } = destination
  const amount = money(payment.currency, payment.amount_minor)
  const at = now()
  const transactionId = newId(at)
  await tx.query(
    `update payment set status = 'completed', capture_id = $2, transaction_id = $3, updated_at = $4 where id = $1`,
    [payment.id, verdict.captureId, transactionId, at],
  )
  const outcome = await mover.moveWithin(tx, {
    movement: {
      id: derivedId('card deposit', payment.id),
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

/** Carries out a decision; the credit comes last, so that hot accounts are held as briefly as can be. */
async function carryOut(
  options: Options,
  tx: Tx,
  payment: PaymentRow,
  destination: Destination,
  verdict: Verdict,
  decision: Decision,
): Promise<void> {
  const { now, log } = options
  if (decision === 'fail') {
    await tx.query(`update payment set status = 'failed', updated_at = $2 where id = $1`, [payment.id, now()])
  } else if (decision === 'amount differs' && verdict.status === 'settled') {
    await tx.query(`update payment set status = 'needs_review', capture_id = $2, updated_at = $3 where id = $1`, [
      payment.id,
      verdict.captureId,
      now(),
    ])
    log.error(
      {
        paymentId: payment.id,
        captureId: verdict.captureId,
        captured: `${verdict.amount.minor} ${verdict.amount.currency}`,
      },
      'the provider captured another amount than was asked for; nothing is credited until somebody has looked at it',
    )
  } else if (decision === 'credit' && verdict.status === 'settled') {
    await credit(options, tx, payment, destination, verdict)
  }
}

const verdictOf = (event: Exclude<CardEvent, { status: 'unhandled' }>): Verdict =>
  event.status === 'settled'
    ? { status: 'settled', amount: event.amount, captureId: event.captureId }
    : { status: 'declined' }

type Decision = 'credit' | 'fail' | 'already completed' | 'amount differs' | 'already in review'

/**
 * What a verdict means for a payment. Money that has come stays: only a settled verdict changes a failed payment, and
 * none changes a payment that a person has to look at.
 */
function decide(payment: PaymentRow, verdict: Verdict): Decision {
  if (payment.status === 'completed') return 'already completed'
  if (payment.status === 'needs_review') return 'already in review'
  if (verdict.status === 'declined') return 'fail'
  const { currency, minor } = verdict.amount
  return currency === payment.currency && minor === payment.amount_minor ? 'credit' : 'amount differs'
}
