import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  createRateReturnAlert,
  rateReturnAlerts,
  removeRateReturnAlert,
} from '@tern/contract/orders/rate-return-alerts'
import { Refused } from '@tern/contract/protocol/client'
import type { CurrencyCode } from '@tern/money/currency'
import { useState } from 'react'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { queryOf } from '../../app/session/query.ts'
import { callApi, useUser } from '../../app/session/session.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'

interface ReturnAlertProps {
  from: CurrencyCode
  to: CurrencyCode
}

/** Subscribes to an alert for when a pair has a rate again, or cancels it; empty until the subscription is loaded. */
export function ReturnAlert({ from, to }: ReturnAlertProps) {
  const query = queryOf(['rate-return-alerts', useUser()?.id], rateReturnAlerts, {})
  const queryClient = useQueryClient()
  const toast = useToast()
  const [isBusy, setIsBusy] = useState(false)
  const { data } = useQuery(query)
  if (!data) return null
  const isAsked = data.open.some(
    ({ source_currency, target_currency }) => source_currency === from && target_currency === to,
  )

  async function toggle(): Promise<void> {
    setIsBusy(true)
    try {
      const params = { from, to }
      await (isAsked ? callApi(removeRateReturnAlert, { params }) : callApi(createRateReturnAlert, { params }))
      await queryClient.invalidateQueries({ queryKey: query.queryKey })
    } catch (error) {
      toast(error instanceof Refused ? error.message : texts.returnFailed, 'warning')
    }
    setIsBusy(false)
  }

  return (
    <>
      <Button look="ghost" processing={isBusy} onClick={() => void toggle()}>
        {isAsked ? texts.returnForget : texts.returnAsk}
      </Button>
      <p className="small muted" role="status">
        {isAsked && texts.returnAsked}
      </p>
    </>
  )
}
