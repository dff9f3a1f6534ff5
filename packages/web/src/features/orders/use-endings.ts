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
import { becameText, holdText } from './order-words.ts'
import { endedIn } from './use-order-command.ts'

const nothing = () => {}

function describeFailure(error: unknown): string {
  const ended = endedIn(error)
  if (ended?.filled) return `${texts.filledFirst} ${becameText(ended)}`
  return error instanceof Refused ? error.message : texts.cancelFailed
}

/** Cancels orders and removes alerts. `onEnded` receives an order that had already ended. */
export function useEndings(userId: number, onEnded: (ended?: Order) => void) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const action = useAction({ failed: describeFailure, onSettled: () => refreshOrders(queryClient, userId) })
  return {
    isBusy: action.isBusy,
    error: action.error,
    cancel: (order: Order) =>
      action.run(async () => {
        try {
          await retrySameKey(() => callApi(cancelOrder, { params: { id: order.id } }), nothing)
          toast(texts.canceled(holdText(order)))
          onEnded()
        } catch (error) {
          const ended = endedIn(error)
          if (ended) onEnded(ended)
          throw error
        }
      }),
    remove: (alert: RateAlert) =>
      action.run(async () => {
        await retrySameKey(() => callApi(removeRateAlert, { params: { id: alert.id } }), nothing)
        toast(texts.removed)
        onEnded()
      }),
  }
}
