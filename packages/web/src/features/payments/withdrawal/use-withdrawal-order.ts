import { withdraw } from '@tern/contract/banking'
import { Refused } from '@tern/contract/protocol/client'
import type { CallInput, Reply } from '@tern/contract/protocol/endpoint'
import { useState } from 'react'
import { withdrawals } from '#messages/withdrawals.ts'
import { retrySameKey, isOutcomeUnknown, isRefusedForGood } from '../../../app/orders/orders.ts'
import { notConfirmed, withStepUp } from '../../../app/step-up/step-up.ts'
import { goToProvider, usePageBack } from '../../../app/instruments/provider-page.ts'
import { callApi } from '../../../app/session/session.ts'
import { useIsCurrentPage } from '../../../app/use-is-current-page.ts'
import type { Kept } from '../persisted-order.ts'

export type WithdrawalOrder = CallInput<typeof withdraw>['body']
export type Ordered = Reply<typeof withdraw>

export type WithdrawalState =
  | { readonly status: 'idle' }
  | { readonly status: 'sending'; readonly isRetry: boolean; readonly order: WithdrawalOrder }
  /** The person was asked whether it is them and closed the question. */
  | { readonly status: 'unconfirmed' }
  /** Nobody knows whether it was carried out: the only way on is the same order again. */
  | { readonly status: 'unknown'; readonly order: WithdrawalOrder }
  | { readonly status: 'beyond' }
  | { readonly status: 'failed'; readonly sentence: string; readonly detail: string }

function failureOf(error: unknown): WithdrawalState {
  if (!(error instanceof Refused)) return { status: 'failed', sentence: withdrawals.failed, detail: '' }
  if (error.code === 'insufficient_funds') return { status: 'beyond' }
  return { status: 'failed', sentence: withdrawals.refused, detail: error.message }
}

/**
 * Gives a withdrawal to the server: one Idempotency-Key for each intended withdrawal, kept over retries and reloads
 * until it is answered.
 */
export function useWithdrawalOrder(
  kept: Kept<'withdraw'>,
  onOrdered: (ordered: Ordered, order: WithdrawalOrder) => void,
) {
  const isHere = useIsCurrentPage()
  const [state, setState] = useState<WithdrawalState>(
    kept.left ? { status: 'unknown', order: kept.left } : { status: 'idle' },
  )
  usePageBack(() => {
    if (kept.isLeft()) location.reload()
    else setState((current) => (current.status === 'unknown' ? current : { status: 'idle' }))
  })

  async function send(order: WithdrawalOrder): Promise<void> {
    let mayBeDone = state.status === 'unknown'
    const idempotencyKey = kept.keyOf(order)
    const give = (confirmation: string | undefined) => {
      setState({ status: 'sending', isRetry: false, order })
      kept.keep(order)
      return retrySameKey(
        () => callApi(withdraw, { body: order, idempotencyKey, confirmation }),
        () => {
          mayBeDone = true
          setState({ status: 'sending', isRetry: true, order })
        },
        mayBeDone,
      )
    }
    try {
      // Asking for a proof means that this attempt did nothing.
      const ordered = await withStepUp(give, () => void (mayBeDone || kept.drop(order)))
      if (ordered === notConfirmed)
        return setState(mayBeDone ? { status: 'unknown', order } : { status: 'unconfirmed' })
      mayBeDone = false
      kept.answered(order)
      // Whoever has gone to another page meanwhile stays there, where it is.
      if (!isHere()) return
      if (ordered.redirectUrl !== null) return goToProvider(ordered.redirectUrl)
      if (ordered.status === 'failed') {
        return setState({ status: 'failed', sentence: withdrawals.refused, detail: '' })
      }
      setState({ status: 'idle' })
      onOrdered(ordered, order)
    } catch (error) {
      if (isOutcomeUnknown(error) || (mayBeDone && !isRefusedForGood(error)))
        return setState({ status: 'unknown', order })
      kept.failed(order, error)
      setState(failureOf(error))
    }
  }

  const clear = () => setState((current) => (current.status === 'sending' ? current : { status: 'idle' }))
  return { state, send: (order: WithdrawalOrder) => void send(order), clear }
}
