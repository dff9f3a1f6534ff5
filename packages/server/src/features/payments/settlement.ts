import { cardAccount, walletAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { CardEvent, CardProvider, EventHeaders } from '@tern/providers/card/port'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { transact, type Tx } from '../../db.ts'
import { derivedId, newId } from '../../ids.ts'
import type { Mover } from '../wallets/move.ts'
import { acceptOutcome } from '../wallets/outcome.ts'
import type { Wallets } from '../wallets/wallets.ts'

export interface PaymentRow {
  id: string
  user_id: bigint
  status: 'pending' | 'completed' | 'failed'
  amount_minor: bigint
  currency: CurrencyCode
  session_id: string | null
  redirect_url: string | null
  request_hash: Buffer
  transaction_id: string | null
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
  readonly log: FastifyBaseLogger
}

/** Takes in what the card provider says about payments, by event or when asked, and moves the money exactly once. */
export function createSettlement(options: Options) {
  const { pool, card, providerName, now, log } = options

  async function receiveCardEvent(rawBody: Buffer, headers: EventHeaders): Promise<void> {
    // The signature is checked against the machine's own time: the product's clock may be moved in sandbox mode.
    const event = card.verifyEvent(rawBody, headers, new Date())
    await transact(pool, async (tx) => {
      const paymentId = event.status === 'unhandled' ? null : event.paymentId
      const seen = await tx.query(
        `insert into provider_event (provider, id, payment_id, received_at, outcome) values ($1, $2, $3, $4, 'received')
         on conflict do nothing`,
        [providerName, event.id, paymentId, now()],
      )
      if (seen.rowCount === 0 || event.status === 'unhandled') return
      const payment = await lock(tx, event.paymentId)
      if (!payment) log.warn({ eventId: event.id }, 'an event about a payment that is not ours')
      const verdict = verdictOf(event)
      const decision = payment ? decide(payment, verdict) : 'unknown payment'
      await tx.query('update provider_event set outcome = $3 where provider = $1 and id = $2', [
        providerName,
        event.id,
        decision,
      ])
      if (payment) await carryOut(options, tx, payment, verdict, decision)
    })
  }

  async function check(paymentId: string): Promise<void> {
    const { rows } = await pool.query<PaymentRow>('select * from payment where id = $1', [paymentId])
    const sessionId = rows[0]?.session_id
    if (!sessionId || rows[0]?.status !== 'pending') return
    const state = await card.lookup(sessionId)
    if (state.status === 'open' || state.status === 'unknown') return
    await transact(pool, async (tx) => {
      const payment = await lock(tx, paymentId)
      const verdict: Verdict = state.status === 'settled' ? state : { status: 'declined' }
      if (payment) await carryOut(options, tx, payment, verdict, decide(payment, verdict))
    })
  }

  return { receiveCardEvent, check }
}

async function lock(tx: Tx, paymentId: string): Promise<PaymentRow | undefined> {
  const { rows } = await tx.query<PaymentRow>('select * from payment where id = $1 for update', [paymentId])
  return rows[0]
}

async function credit(
  { wallets, mover, now }: Options,
  tx: Tx,
  payment: PaymentRow,
  verdict: Verdict & { status: 'settled' },
): Promise<void> {
  const wallet = await wallets.walletOf(payment.user_id)
  if (!wallet) throw new Error(`payment ${payment.id} belongs to nobody`)
  const amount = money(payment.currency, payment.amount_minor)
  const at = now()
  const transactionId = newId(at)
  const from = await wallets.accountId(cardAccount(amount.currency))
  const to = await wallets.accountId(walletAccount(wallet.id, amount.currency))
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
        walletId: wallet.id,
        toWalletId: wallet.id,
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
  verdict: Verdict,
  decision: Decision,
): Promise<void> {
  const { now, log } = options
  if (decision === 'fail') {
    await tx.query(`update payment set status = 'failed', updated_at = $2 where id = $1`, [payment.id, now()])
  } else if (decision === 'amount differs') {
    log.error({ paymentId: payment.id }, 'the provider captured another amount than was asked for; nothing is credited')
  } else if (decision === 'credit' && verdict.status === 'settled') {
    await credit(options, tx, payment, verdict)
  }
}

const verdictOf = (event: Exclude<CardEvent, { status: 'unhandled' }>): Verdict =>
  event.status === 'settled'
    ? { status: 'settled', amount: event.amount, captureId: event.captureId }
    : { status: 'declined' }

type Decision = 'credit' | 'fail' | 'already completed' | 'amount differs' | 'unknown payment'

/** What a verdict means for a payment. Money that has come stays: only a settled verdict changes a failed payment. */
function decide(payment: PaymentRow, verdict: Verdict): Decision {
  if (payment.status === 'completed') return 'already completed'
  if (verdict.status === 'declined') return 'fail'
  const { currency, minor } = verdict.amount
  return currency === payment.currency && minor === payment.amount_minor ? 'credit' : 'amount differs'
}
