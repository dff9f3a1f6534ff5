import { useQueryClient } from '@tanstack/react-query'
import { editOrder, type Order, orderShape, placeOrder } from '@tern/contract/orders/orders'
import { createRateAlert, editRateAlert, type RateAlert } from '@tern/contract/orders/rate-alerts'
import { Refused } from '@tern/contract/protocol/client'
import { orders as texts } from '#messages/exchange/orders.ts'
import { type OrderFailure, useMoneyOrder } from '../../app/orders/money-order.ts'
import { tabOrderStore } from '../../app/orders/persisted-order.ts'
import { callApi } from '../../app/session/session.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { type Command, storedCommand } from './order-form.ts'
import { refreshOrders } from './order-queries.ts'
import { describeOutcome } from './order-text.ts'

/** Store of the user's unanswered command. */
const commandStore = (userId: number) =>
  tabOrderStore<Command>('order', (command) => storedCommand.safeParse(command).data?.userId === userId)

function sendCommand({ call }: Command, idempotencyKey: string): Promise<Order | RateAlert> {
  switch (call.act) {
    case 'place':
      return callApi(placeOrder, { body: call.body, idempotencyKey })
    case 'edit':
      return callApi(editOrder, { params: { id: call.id }, body: call.body, idempotencyKey })
    case 'alert':
      return callApi(createRateAlert, { body: call.body, idempotencyKey })
    case 'editAlert':
      return callApi(editRateAlert, { params: { id: call.id }, body: call.body })
  }
}

/** Ended order contained in the refusal of a late change. */
export const findEndedOrder = (error: unknown): Order | undefined =>
  error instanceof Refused ? orderShape.safeParse(error.problem.order).data : undefined

/** Message for a failed command; for an order that was filled first, its outcome. */
function describeFailure(error: unknown, { call: { act } }: Command): OrderFailure {
  const title = act === 'place' ? texts.placeFailed : texts.failed
  if (!(error instanceof Refused)) return { title, detail: '' }
  const endedOrder = findEndedOrder(error)
  if (error.code === 'order_filled' && endedOrder) {
    return { title: texts.filledFirst, detail: describeOutcome(endedOrder), tone: 'warning' }
  }
  if (error.code === 'order_not_open') return { title: texts.endedFirst, detail: '', tone: 'warning' }
  const [problem] = error.errors
  if (problem?.field === 'amount') return { detail: problem.message, field: 'amount' }
  return { title, detail: problem?.message ?? error.message }
}

interface CommandOptions {
  userId: number
  onDone: (command: Command) => void
  /** The order had ended before the change. */
  onEnded: (endedOrder: Order) => void
}

/** Sends order and alert commands idempotently: a repeated press or a lost answer does not send them twice. */
export function useOrderCommand({ userId, onDone, onEnded }: CommandOptions) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMoneyOrder<Command, Order | RateAlert>({
    store: commandStore(userId),
    buildBody: ({ call }) => call,
    call: (command, { idempotencyKey }) => sendCommand(command, idempotencyKey),
    isCharging: ({ call: { act } }) => act === 'place' || act === 'edit',
    onReply(_, command) {
      const { act } = command.call
      toast(act === 'place' || act === 'alert' ? texts.placed[command.values.kind] : texts.saved)
      void refreshOrders(queryClient, userId)
      onDone(command)
    },
    onFailure(error, command) {
      void refreshOrders(queryClient, userId)
      const endedOrder = findEndedOrder(error)
      if (endedOrder) onEnded(endedOrder)
      return describeFailure(error, command)
    },
  })
}
