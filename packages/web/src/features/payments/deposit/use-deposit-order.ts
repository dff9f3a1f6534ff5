import { useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { deposit, depositByCard } from '@tern/contract/payments'
import { useState } from 'react'
import { payments } from '#messages/payments.ts'
import { retrySameKey, isOutcomeUnknown } from '../../../app/orders/orders.ts'
import { goToProvider, usePageBack } from '../../../app/instruments/provider-page.ts'
import { callApi } from '../../../app/session/session.ts'
import { useIsCurrentPage } from '../../../app/use-is-current-page.ts'
import type { DepositOrder } from './deposit-order.ts'
import type { Kept } from '../persisted-order.ts'

export type Begun = Reply<typeof deposit>

export type DepositState =
  | { readonly status: 'idle' }
  | { readonly status: 'sending'; readonly isRetry: boolean; readonly order: DepositOrder }
  /** Nobody knows whether it was carried out: the only way on is the same order again. */
  | { readonly status: 'unknown'; readonly order: DepositOrder }
  | { readonly status: 'renewed' }
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'wrong amount'; readonly message: string }

interface Handlers {
  kept: Kept<'deposit'>
  /** The browser is about to leave for the provider's page. */
  onLeave: (paymentId: string) => void
  /** Nothing is left to do but to wait, if anything. */
  onBegun: (begun: Begun, order: DepositOrder) => void
}

/** True of an order that charges somebody at once. A card that is yet to be entered pays nothing before. */
const isCharging = (order: DepositOrder): boolean => order.method === 'bank' || order.body.paymentMethodId !== undefined

/** True when the order may have charged somebody without an answer. */
const mayHaveCharged = (order: DepositOrder, error: unknown): boolean => {
  const isOpen = isOutcomeUnknown(error) || (error instanceof Refused && error.code === 'provider_unavailable')
  return isOpen && isCharging(order)
}

function failureOf({ method }: DepositOrder, error: unknown): DepositState {
  if (!(error instanceof Refused)) return { status: 'failed', message: payments.failed }
  const onAmount = error.errors.find(({ field }) => field === 'amount')
  // A card or bank that says no says nothing about the amount.
  if (onAmount && error.code !== 'payment_refused') return { status: 'wrong amount', message: onAmount.message }
  const sentence = method === 'card' ? payments.declined : payments.bankFailed
  const detail = onAmount?.message ?? error.message
  return { status: 'failed', message: error.status < 500 ? `${sentence} ${detail}` : payments.failed }
}

/**
 * Gives a deposit to the server: one Idempotency-Key for each intended deposit, kept over its retries, and over reloads
 * where the order charges somebody at once.
 */
export function useDepositOrder({ kept, onLeave, onBegun }: Handlers) {
  const queryClient = useQueryClient()
  const isHere = useIsCurrentPage()
  const [state, setState] = useState<DepositState>(
    kept.left ? { status: 'unknown', order: kept.left } : { status: 'idle' },
  )
  usePageBack(() => {
    if (kept.isLeft()) location.reload()
    else setState((current) => (current.status === 'unknown' ? current : { status: 'idle' }))
  })

  function call(order: DepositOrder): Promise<Begun> {
    const idempotencyKey = kept.keyOf(order)
    if (isCharging(order)) kept.keep(order)
    return retrySameKey<Begun>(
      () =>
        order.method === 'card'
          ? callApi(depositByCard, { body: order.body, idempotencyKey })
          : callApi(deposit, { body: order.body, idempotencyKey }),
      () => setState({ status: 'sending', isRetry: true, order }),
      state.status === 'unknown',
    )
  }

  async function send(order: DepositOrder): Promise<void> {
    setState({ status: 'sending', isRetry: false, order })
    try {
      const begun = await call(order)
      // The next one is another deposit, also when somebody comes back by the browser's own button.
      kept.answered(order)
      if (begun.redirectUrl !== null) {
        onLeave(begun.payment_id)
        // Whoever has gone to another page meanwhile stays there, and finds it begun when they come back.
        return isHere() ? goToProvider(begun.redirectUrl) : undefined
      }
      if (begun.status === 'failed') {
        setState({ status: 'failed', message: order.method === 'card' ? payments.declined : payments.bankFailed })
      } else {
        setState({ status: 'idle' })
        if (isHere()) onBegun(begun, order)
      }
    } catch (error) {
      if (mayHaveCharged(order, error)) return setState({ status: 'unknown', order })
      if (!isOutcomeUnknown(error)) kept.failed(order, error)
      if (!(error instanceof Refused && error.code === 'quote_expired')) return setState(failureOf(order, error))
      void queryClient.invalidateQueries({ queryKey: ['quote'] })
      setState({ status: 'renewed' })
    }
  }

  const clear = () => setState((current) => (current.status === 'sending' ? current : { status: 'idle' }))
  return { state, send: (order: DepositOrder) => void send(order), clear }
}
