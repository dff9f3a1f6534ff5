import { useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { exchangeMoney } from '@tern/contract/exchange'
import { useState } from 'react'
import { wallets } from '#messages/wallets.ts'
import { refreshMoney } from '../../app/session/live.ts'
import { retrySameKey, isOutcomeUnknown, useIdempotencyKeys } from '../../app/orders/orders.ts'
import type { DatedQuote } from '../../app/orders/quotes.ts'
import { callApi } from '../../app/session/session.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'

export type ConversionState =
  | { readonly status: 'idle' }
  | { readonly status: 'converting'; readonly isRetry: boolean }
  /** Nobody knows whether it was carried out: the only way on is the same order again. */
  | { readonly status: 'unknown' }
  | { readonly status: 'failed'; readonly detail: string }

/** Converts at a quoted price: one Idempotency-Key for each price that is accepted, kept over retries until it is refused for good. */
export function useConversion({ userId, onDone }: { userId: number; onDone: () => void }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const keys = useIdempotencyKeys()
  const [state, setState] = useState<ConversionState>({ status: 'idle' })
  const [open, setOpen] = useState<DatedQuote>()

  async function convert(priced: DatedQuote): Promise<void> {
    const { quote } = priced
    const idempotencyKey = keys.of(quote.quote_id)
    setOpen(priced)
    setState({ status: 'converting', isRetry: false })
    try {
      await retrySameKey(
        () => callApi(exchangeMoney, { body: { quote_id: quote.quote_id }, idempotencyKey }),
        () => setState({ status: 'converting', isRetry: true }),
        state.status === 'unknown',
      )
    } catch (error) {
      if (isOutcomeUnknown(error)) return setState({ status: 'unknown' })
      keys.failed(error)
      setOpen(undefined)
      // A price that was refused is of no more use; the page asks for the next one.
      void queryClient.invalidateQueries({ queryKey: ['quote'] })
      return setState({ status: 'failed', detail: error instanceof Refused ? error.message : '' })
    }
    keys.forget()
    setOpen(undefined)
    setState({ status: 'idle' })
    onDone()
    const { source_amount, source_currency, target_amount, target_currency } = quote
    toast(wallets.converted(formatExact(source_amount, source_currency), formatExact(target_amount, target_currency)))
    void refreshMoney(queryClient, userId)
  }

  const clear = () => setState((current) => (current.status === 'failed' ? { status: 'idle' } : current))
  return { state, open, convert, clear }
}
