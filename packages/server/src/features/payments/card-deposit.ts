import { isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { CardProvider } from '@tern/providers/card/port'
import type pg from 'pg'
import { requestHash } from '../../idempotency.ts'
import { newId } from '../../ids.ts'
import { refuse, refuseField } from '../../refuse.ts'
import type { Caller } from '../../serve.ts'
import type { Wallets } from '../wallets/wallets.ts'
import type { PaymentRow } from './settlement.ts'

export interface CardDeposit {
  /** Minor units of `currency`. */
  readonly amount: number | bigint
  /** Lower case. */
  readonly currency: string
  readonly userId?: number | undefined
}

interface Options {
  readonly pool: pg.Pool
  readonly wallets: Wallets
  readonly card: Pick<CardProvider, 'createCheckout'>
  readonly providerName: string
  readonly publicUrl: string
  readonly now: () => Date
}

/** Begins card deposits: a payment of ours, then the provider's hosted checkout. No money moves here. */
export function createCardDeposits({ pool, wallets, card, providerName, publicUrl, now }: Options) {
  /** Finds or makes the payment row, so that a repeated request reaches the provider with the same id. */
  async function prepare(userId: bigint, key: string, amount: Money): Promise<PaymentRow> {
    const hash = requestHash({ amount: amount.minor.toString(), currency: amount.currency })
    const at = now()
    await pool.query(
      `insert into payment (id, user_id, kind, status, amount_minor, currency, provider, idempotency_key, request_hash,
         created_at, updated_at, asked_at)
       values ($1, $2, 'card_deposit', 'pending', $3, $4, $5, $6, $7, $8, $8, $8)
       on conflict (user_id, idempotency_key) do nothing`,
      [newId(at), userId, amount.minor, amount.currency, providerName, key, hash, at],
    )
    const { rows } = await pool.query<PaymentRow>('select * from payment where user_id = $1 and idempotency_key = $2', [
      userId,
      key,
    ])
    const payment = rows[0] ?? refuse('not_found')
    if (!payment.request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
    return payment
  }

  return async function begin(caller: Caller, request: CardDeposit, key: string | undefined) {
    if (request.userId !== undefined && BigInt(request.userId) !== caller.userId) {
      refuseField('not_your_account', 'userId')
    }
    if (!caller.verified) refuse('verification_required')
    const wallet = (await wallets.walletOf(caller.userId)) ?? refuse('not_found')
    const currency = request.currency.toUpperCase()
    if (!isCurrencyCode(currency) || currency !== wallet.baseCurrency) {
      return refuseField('invalid_request', 'currency', `Your wallet takes deposits in ${wallet.baseCurrency}.`)
    }
    const amount = money(currency, BigInt(request.amount))
    const payment = await prepare(caller.userId, key ?? crypto.randomUUID(), amount)
    if (payment.redirect_url !== null) {
      return { success: true, payment_id: payment.id, redirectUrl: payment.redirect_url } as const
    }
    if (payment.status === 'failed') return refuseField('invalid_request', 'amount', 'This deposit was not accepted.')
    const checkout = await card.createCheckout({
      paymentId: payment.id,
      amount,
      description: 'Deposit to your Tern wallet',
      returnUrl: `${publicUrl}/deposit`,
      idempotencyKey: payment.id,
    })
    if (checkout.status === 'unknown') return refuse('provider_unavailable')
    if (checkout.status === 'refused') {
      await pool.query(
        `update payment set status = 'failed', updated_at = $2
          where id = $1 and status = 'pending' and session_id is null`,
        [payment.id, now()],
      )
      return refuseField('invalid_request', 'amount', checkout.reason)
    }
    await pool.query('update payment set session_id = $2, redirect_url = $3, updated_at = $4 where id = $1', [
      payment.id,
      checkout.sessionId,
      checkout.url,
      now(),
    ])
    return { success: true, payment_id: payment.id, redirectUrl: checkout.url } as const
  }
}
