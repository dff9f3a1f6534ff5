import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Quote } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import { acknowledgeWarning, findPayeeWarning, type PayeeWarning } from '@tern/contract/transfers/payee-warnings'
import { useRef, useState } from 'react'
import { warnings as texts } from '#messages/transfers/warnings.ts'
import { callApi } from '../session/session.ts'
import { buildQuery } from '../session/query.ts'

export interface PaymentToCheck {
  readonly userId: number
  readonly recipientId: number
  readonly quote: Pick<Quote, 'source_amount' | 'source_currency'>
  readonly description: string
}

const isSame = (a: PayeeWarning, b: PayeeWarning): boolean =>
  a.similar_to === b.similar_to && a.patterns.join() === b.patterns.join()

const toBody = (payment: PaymentToCheck | undefined) => ({
  recipient_id: payment?.recipientId ?? 0,
  amount: payment?.quote.source_amount ?? '',
  source_currency: payment?.quote.source_currency ?? 'USD',
  description: payment?.description ?? '',
})

const warningQuery = (payment: PaymentToCheck | undefined) => ({
  ...buildQuery(['payee-warning', payment?.userId], findPayeeWarning, { body: toBody(payment) }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
})

/**
 * Warning about a payment before it is sent, read again when it is sent: an acknowledgement is for one payment, and for
 * the warning that the sender has read. A look that fails warns of nothing. Without a payment, none is looked at.
 */
export function usePayeeWarning(payment: PaymentToCheck | undefined) {
  const queryClient = useQueryClient()
  const query = warningQuery(payment)
  const { data } = useQuery(query)
  const [readPatterns, setReadPatterns] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const place = useRef<HTMLInputElement>(null)
  const warning = data?.warning ?? undefined
  const shown = warning?.patterns.join()
  const isRead = shown !== undefined && readPatterns === shown

  function refuseWith(text: string): false {
    setProblem(text)
    place.current?.focus()
    return false
  }

  /**
   * Returns whether the payment may be sent: without a warning, or with one that was read and is acknowledged now.
   * `latest`: the payment if the page has not looked at it yet.
   */
  async function confirm(latest = payment): Promise<boolean> {
    if (!latest) return true
    const latestQuery = warningQuery(latest)
    // The button may be pressed before the answer is there.
    const known = await queryClient.ensureQueryData(latestQuery).catch(() => undefined)
    if (!known?.warning) return true
    if (!isRead || shown !== known.warning.patterns.join()) return refuseWith(texts.readFirst)
    try {
      const found = (await callApi(findPayeeWarning, { body: toBody(latest) })).warning
      if (found && !isSame(found, known.warning)) {
        queryClient.setQueryData(latestQuery.queryKey, { warning: found })
        return refuseWith(texts.changed)
      }
      if (found) await callApi(acknowledgeWarning, { params: { id: found.id } })
      setProblem(undefined)
      return true
    } catch (error) {
      return refuseWith(error instanceof Refused ? error.message : texts.failed)
    }
  }

  return {
    warning,
    isRead,
    onRead(isChecked: boolean) {
      setReadPatterns(isChecked ? shown : undefined)
      setProblem(undefined)
    },
    problem,
    place,
    confirm,
  }
}
