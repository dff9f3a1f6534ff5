import { useQuery, useQueryClient } from '@tanstack/react-query'
import { cancelOrder, editOrder, type Order, orderShape, placeOrder } from '@tern/contract/orders/orders'
import { createRateAlert, editRateAlert, type RateAlert, removeRateAlert } from '@tern/contract/orders/rate-alerts'
import { Refused } from '@tern/contract/protocol/client'
import type { Wallet } from '@tern/contract/wallets'
import { useState } from 'react'
import { orders as texts } from '#messages/exchange/orders.ts'
import { amountFailure, type OrderFailure, useMoneyOrder } from '../../app/orders/money-order.ts'
import { retrySameKey } from '../../app/orders/orders.ts'
import { tabOrderStore } from '../../app/orders/persisted-order.ts'
import { unitsOf } from '../../app/rates/rate-scale.ts'
import { callApi } from '../../app/session/session.ts'
import { useAction } from '../../app/use-action.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import {
  type Command,
  commandOf,
  commandShape,
  emptyValues,
  errorsOf,
  firstPair,
  isChanged,
  type Kind,
  type OrderValues,
  pairOf,
  shortOf,
  sideOf,
  spendableOf,
  type Subject,
  sumsOf,
  valuesOf,
  writtenRate,
} from './order-form.ts'
import { type RatePair, nearest, rateIn, stepOf } from './pair.ts'
import { rateNowQuery, refreshOrders } from './order-queries.ts'
import { becameText, holdText } from './order-words.ts'

/** The order or alert of this person that has no answer. */
const commandStore = (userId: number) =>
  tabOrderStore<Command>('order', (command) => commandShape.safeParse(command).data?.userId === userId)

const nothing = () => {}

function call({ call: told }: Command, idempotencyKey: string): Promise<Order | RateAlert> {
  switch (told.act) {
    case 'place':
      return callApi(placeOrder, { body: told.body, idempotencyKey })
    case 'edit':
      return callApi(editOrder, { params: { id: told.id }, body: told.body, idempotencyKey })
    case 'alert':
      return callApi(createRateAlert, { body: told.body, idempotencyKey })
    case 'editAlert':
      return callApi(editRateAlert, { params: { id: told.id }, body: told.body })
  }
}

/** Why nothing was changed; an order that ended first says what became of it. */
function failureOf(error: unknown, { call: { act } }: Command): OrderFailure {
  if (!(error instanceof Refused)) return { title: act === 'place' ? texts.placeFailed : texts.failed, detail: '' }
  const ended = orderShape.safeParse(error.problem.order).data
  if (error.code === 'order_filled' && ended) {
    return { title: texts.filledFirst, detail: becameText(ended), tone: 'warning' }
  }
  if (error.code === 'order_not_open') return { title: texts.endedFirst, detail: '', tone: 'warning' }
  const [problem] = error.errors
  if (problem?.field === 'amount') return { detail: problem.message, field: 'amount' }
  return { title: act === 'place' ? texts.placeFailed : texts.failed, detail: problem?.message ?? error.message }
}

/** About a percent beyond the rate of now, on a step: where a new line stands at first. */
function firstRate(kind: Kind, { of }: RatePair, from: OrderValues['from'], now: string): string {
  const units = unitsOf(now)
  const isAbove = kind === 'alert' || (kind === 'limit') === (of === from)
  return writtenRate(nearest(isAbove ? (units * 101n) / 100n : (units * 99n) / 100n, stepOf(units)))
}

interface FormOptions {
  userId: number
  wallet: Wallet
  subject: Subject
  /** The form is about something else from now on; `ended` is an order that had ended before it was changed. */
  onLeave: (ended?: Order) => void
}

const keyOf = (subject: Subject): string =>
  subject.is === 'new' ? 'new' : subject.is === 'order' ? subject.order.id : subject.alert.id

/** What is typed of an order or an alert, what it comes to, and what becomes of it. */
export function useOrderForm({ userId, wallet, subject, onLeave }: FormOptions) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const order = useMoneyOrder<Command, Order | RateAlert>({
    store: commandStore(userId),
    bodyOf: ({ call: { act, body, ...rest } }) => ({ act, body, ...rest }),
    call: (command, { idempotencyKey }) => call(command, idempotencyKey),
    isCharging: ({ call: { act } }) => act === 'place' || act === 'edit',
    onReply(_, { call: { act }, values: sent }) {
      toast(act === 'place' || act === 'alert' ? texts.placed[sent.kind] : texts.saved)
      void refreshOrders(queryClient, userId)
      setValues(emptyValues(sent.kind, sent.from, sent.to))
      setIsRateTyped(false)
      setAttempts(0)
      onLeave()
    },
    onFailure(error, command) {
      void refreshOrders(queryClient, userId)
      const ended = error instanceof Refused ? orderShape.safeParse(error.problem.order).data : undefined
      if (ended) onLeave(ended)
      return failureOf(error, command)
    },
  })
  const [values, setValues] = useState<OrderValues>(() => {
    if (order.left) return order.left.values
    const { from, to } = firstPair(wallet)
    return subject.is === 'new' ? emptyValues('limit', from, to) : valuesOf(subject)
  })
  const [attempts, setAttempts] = useState(0)
  const [isRateTyped, setIsRateTyped] = useState(false)
  const [key, setKey] = useState(keyOf(subject))
  if (key !== keyOf(subject)) {
    setKey(keyOf(subject))
    setAttempts(0)
    setIsRateTyped(false)
    setValues(subject.is === 'new' ? emptyValues(values.kind, values.from, values.to) : valuesOf(subject))
  }

  const { kind, from, to } = values
  const pair = pairOf(values, subject)
  const { data: known } = useQuery(rateNowQuery(from, to))
  const now = known ? rateIn(pair.of, from, kind === 'alert' ? known.mid : known.rate) : undefined
  // A new line stands beside the rate of now until anything is typed.
  const isBeside = subject.is === 'new' && values.rate === '' && !isRateTyped && now !== undefined
  const current = isBeside ? { ...values, rate: firstRate(kind, pair, from, now) } : values
  const sums = sumsOf(current, pair.of)
  const side = sideOf(current, pair.of, sums.rate, now)
  const spendable = spendableOf(wallet, current, subject)
  const short = kind === 'alert' ? undefined : shortOf(sums, spendable)
  const errors = errorsOf(current, sums, side)
  const isLocked = order.pending !== undefined

  const change = (part: Partial<OrderValues>) => {
    setIsRateTyped(isRateTyped || 'rate' in part)
    setValues({ ...current, ...part })
    order.clear()
  }
  const restart = (part: Partial<OrderValues>) => {
    setIsRateTyped(false)
    setValues({ ...values, ...part, rate: '', worst: undefined })
    setAttempts(0)
    order.clear()
  }
  const ending = useEnding({ userId, subject, onLeave })
  return {
    ...{ values: current, pair, now, side, sums, spendable, subject, isLocked, attempts, ending },
    state: order.state,
    clear: order.clear,
    isRateKnown: known !== undefined,
    isPaused: known === null,
    isDraftChanged: subject.is === 'new' || isChanged(current, subject),
    errors: {
      ...(attempts > 0 ? errors : {}),
      amount: (attempts > 0 ? errors.amount : undefined) ?? short ?? amountFailure(order.state),
    },
    change,
    chooseKind: (next: Kind) => (subject.is === 'new' ? restart({ kind: next }) : undefined),
    choosePair: (next: Pick<OrderValues, 'from' | 'to'>) => restart({ ...next, amount: '' }),
    submit() {
      if (order.pending) return order.send(order.pending)
      setAttempts(attempts + 1)
      const isWrong = Object.values(errors).some((error) => error !== undefined) || short !== undefined
      const wanted = isWrong ? undefined : commandOf(userId, current, subject, { sums, of: pair.of, side })
      if (wanted) order.send(wanted)
    },
  }
}

export type OrderFormModel = ReturnType<typeof useOrderForm>

/** Cancels the order, or removes the alert. */
function useEnding({ userId, subject, onLeave }: Pick<FormOptions, 'userId' | 'subject' | 'onLeave'>) {
  const end = useEndings(userId, onLeave)
  return {
    ...end,
    run: () => (subject.is === 'order' ? end.cancel(subject.order) : subject.is === 'alert' && end.remove(subject.alert)),
  }
}

/** Ends orders and alerts, from wherever they are listed. `onEnded` gets an order that had ended before. */
export function useEndings(userId: number, onEnded: (ended?: Order) => void) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const action = useAction({
    sentenceOf: (error) => (error instanceof Refused ? error.message : texts.cancelFailed),
    onSettled: () => refreshOrders(queryClient, userId),
  })
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
          const ended = error instanceof Refused ? orderShape.safeParse(error.problem.order).data : undefined
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
