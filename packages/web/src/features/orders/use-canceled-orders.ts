import { useQueryClient } from '@tanstack/react-query'
import { cancelOrder, type Order } from '@tern/contract/orders/orders'
import { type RateAlert, removeRateAlert } from '@tern/contract/orders/rate-alerts'
import { Refused } from '@tern/contract/protocol/client'
import { orders as texts } from '#messages/exchange/orders.ts'
import { retrySameKey } from '../../app/orders/orders.ts'
import { callApi } from '../../app/session/session.ts'
import { useAction } from '../../app/use-action.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { refreshOrders } from './order-queries.ts'
import { describeOutcome, holdText } from './order-text.ts'
import { findEndedOrder } from './use-order-command.ts'

const noop = () => {}

function describeFailure(error: unknown): string {
  const endedOrder = findEndedOrder(error)
  if (endedOrder?.filled) return `${texts.filledFirst} ${describeOutcome(endedOrder)}`
  return error instanceof Refused ? error.message : texts.cancelFailed
}

/** Cancels orders and removes alerts, then calls `onEnded`; with the order if it had already ended. */
export function useOrderCancellation(userId: number, onEnded: (endedOrder?: Order) => void) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const action = useAction({ failed: describeFailure, onSettled: () => refreshOrders(queryClient, userId) })
  return {
    isBusy: action.isBusy,
    error: action.error,
    cancel: (order: Order) =>
      action.run(async () => {
        try {
          await retrySameKey(() => callApi(cancelOrder, { params: { id: order.id } }), noop)
          toast(texts.canceled(holdText(order)))
          onEnded()
        } catch (error) {
          const endedOrder = findEndedOrder(error)
          if (endedOrder) onEnded(endedOrder)
          throw error
        }
      }),
    remove: (alert: RateAlert) =>
      action.run(async () => {
        await retrySameKey(() => callApi(removeRateAlert, { params: { id: alert.id } }), noop)
        toast(texts.removed)
        onEnded()
      }),
  }
}
