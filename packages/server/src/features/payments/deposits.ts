import type { cardDeposit, deposit, depositByCard, depositRequest } from '@tern/contract/payments'
import type { Reply } from '@tern/contract/endpoint'
import { isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type * as z from 'zod/mini'
import { requestHash } from '../../idempotency.ts'
import { newId } from '../../ids.ts'
import { refuse, refuseField } from '../../refuse.ts'
import type { Caller } from '../../serve.ts'
import type { Funding } from './funding.ts'
import type { Ground } from './ground.ts'
import type { PaymentRow } from './payment-row.ts'

/** A card deposit as it is asked for; amounts from inside the process may be larger than a JSON number holds. */
export type CardDeposit = Omit<z.output<typeof cardDeposit>, 'amount'> & { readonly amount: number | bigint }

export interface Deposits {
  /** Begins a deposit by card. Refuses what the contract's `depositByCard` lists. */
  depositByCard(
    caller: Caller,
    request: CardDeposit,
    idempotencyKey: string | undefined,
  ): Promise<Reply<typeof depositByCard>>
  /** Begins a deposit by card or bank debit. Refuses what the contract's `deposit` lists. */
  deposit(
    caller: Caller,
    request: z.output<typeof depositRequest>,
    idempotencyKey: string,
  ): Promise<Reply<typeof deposit>>
}

export function createDeposits({ pool, wallets, provider, publicUrl, now }: Ground, _funding: Funding): Deposits {
  /** Finds or makes the payment row, so that a repeated request reaches the provider with the same id. */
  async function prepare(userId: bigint, key: string, amount: Money): Promise<PaymentRow> {
    const hash = requestHash({ amount: amount.minor.toString(), currency: amount.currency })
    const at = now()
    await pool.query(
      `insert into payment (id, user_id, purpose, method, status, amount_minor, currency, provider, idempotency_key,
         request_hash, created_at, updated_at, asked_at)
       values ($1, $2, 'deposit', 'card', 'pending', $3, $4, $5, $6, $7, $8, $8, $8)
       on conflict (user_id, idempotency_key) do nothing`,
      [newId(at), userId, amount.minor, amount.currency, provider.name, key, hash, at],
    )
    const { rows } = await pool.query<PaymentRow>('select * from payment where user_id = $1 and idempotency_key = $2', [
      userId,
      key,
    ])
    const payment = rows[0] ?? refuse('not_found')
    if (!payment.request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
    return payment
  }

  async function byCard(
    caller: Caller,
    request: CardDeposit,
    key: string | undefined,
  ): Promise<Reply<typeof depositByCard>> {
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
    const begun = { success: true, payment_id: payment.id, status: 'pending', transaction_id: null } as const
    if (payment.redirect_url !== null) return { ...begun, redirectUrl: payment.redirect_url }
    if (payment.status === 'failed') return refuseField('payment_refused', 'amount')
    const checkout = await provider.card.createCheckout({
      paymentId: payment.id,
      amount,
      description: 'Deposit to your Tern wallet',
      returnUrl: `${publicUrl}/deposit`,
      idempotencyKey: payment.id,
      saveCard: false,
    })
    if (checkout.status === 'unknown') return refuse('provider_unavailable')
    if (checkout.status === 'refused') {
      await pool.query(
        `update payment set status = 'failed', reason = 'refused', updated_at = $2
          where id = $1 and status = 'pending' and session_id is null`,
        [payment.id, now()],
      )
      return refuseField('payment_refused', 'amount', checkout.reason)
    }
    await pool.query('update payment set session_id = $2, redirect_url = $3, updated_at = $4 where id = $1', [
      payment.id,
      checkout.sessionId,
      checkout.url,
      now(),
    ])
    return { ...begun, redirectUrl: checkout.url }
  }

  return { depositByCard: byCard, deposit: () => Promise.reject(new Error('being built')) }
}
