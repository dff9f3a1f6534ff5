import { useQuery } from '@tanstack/react-query'
import {
  createRateReturnAlert,
  rateReturnAlerts,
  removeRateReturnAlert,
} from '@tern/contract/orders/rate-return-alerts'
import type { CurrencyCode } from '@tern/money/currency'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { buildQuery } from '../../app/session/query.ts'
import { useUser } from '../../app/session/session.ts'
import { useApiMutation } from '../../app/use-api-mutation.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'

interface ReturnAlertProps {
  from: CurrencyCode
  to: CurrencyCode
}

/** Subscribes to an alert for when a pair has a rate again, or cancels it; empty until the subscription is loaded. */
export function ReturnAlert({ from, to }: ReturnAlertProps) {
  const query = buildQuery(['rate-return-alerts', useUser()?.id], rateReturnAlerts, {})
  const toast = useToast()
  const action = useApiMutation({
    failed: texts.returnFailed,
    onFailed: (message) => toast(message, 'warning'),
    refetches: [query.queryKey],
  })
  const { data } = useQuery(query)
  if (!data) return null
  const hasReturnAlert = data.open.some(
    ({ source_currency, target_currency }) => source_currency === from && target_currency === to,
  )
  const toggle = () =>
    action.send(hasReturnAlert ? removeRateReturnAlert : createRateReturnAlert, { params: { from, to } })

  return (
    <>
      <Button look="ghost" processing={action.isBusy} onClick={toggle}>
        {hasReturnAlert ? texts.returnForget : texts.returnAsk}
      </Button>
      <p className="small muted" role="status">
        {hasReturnAlert && texts.returnAsked}
      </p>
    </>
  )
}
