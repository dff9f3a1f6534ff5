import { useQuery } from '@tanstack/react-query'
import type { Order } from '@tern/contract/orders/orders'
import type { Wallet } from '@tern/contract/wallets'
import { useState } from 'react'
import { amountFailure } from '../../app/orders/money-order.ts'
import { toUnits } from '../../app/rates/rate-scale.ts'
import {
  buildCommand,
  emptyValues,
  validateOrder,
  firstPair,
  isChanged,
  type OrderValues,
  choosePair,
  describeShortfall,
  chooseSide,
  computeSpendable,
  type Subject,
  computeSums,
  initialValues,
  formatTypedRate,
} from './order-form.ts'
import { rateNowQuery } from './order-queries.ts'
import { findNearest, convertRate, type RatePair, chooseStep } from './pair.ts'
import { useOrderCancellation } from './use-canceled-orders.ts'
import { useOrderCommand } from './use-order-command.ts'

/** Initial rate of a new line: about one percent from the current rate, rounded to a step. */
function firstRate({ kind, from }: OrderValues, { rateCurrency }: RatePair, now: string): string {
  const units = toUnits(now)
  const isAbove = kind === 'alert' || (kind === 'limit') === (rateCurrency === from)
  return formatTypedRate(findNearest(isAbove ? (units * 101n) / 100n : (units * 99n) / 100n, chooseStep(units)))
}

const subjectKey = (subject: Subject): string =>
  subject.is === 'new' ? 'new' : subject.is === 'order' ? subject.order.id : subject.alert.id

/** Values of the form: typed ones, or the initial ones of its subject. */
function useDraft(subject: Subject, start: () => OrderValues) {
  const [typedValues, setTypedValues] = useState(start)
  const [isRateTyped, setIsRateTyped] = useState(false)
  const [attempts, setAttempts] = useState(0)
  const [key, setKey] = useState(subjectKey(subject))
  const restart = (values: OrderValues) => {
    setTypedValues(values)
    setIsRateTyped(false)
    setAttempts(0)
  }
  if (key !== subjectKey(subject)) {
    setKey(subjectKey(subject))
    restart(
      subject.is === 'new' ? emptyValues(typedValues.kind, typedValues.from, typedValues.to) : initialValues(subject),
    )
  }
  const pair = choosePair(typedValues, subject)
  const { data: rateNow } = useQuery(rateNowQuery(typedValues.from, typedValues.to))
  const now = rateNow
    ? convertRate(pair.rateCurrency, typedValues.from, typedValues.kind === 'alert' ? rateNow.mid : rateNow.rate)
    : undefined
  // A new line follows the current rate until a rate is typed.
  const followsCurrentRate = subject.is === 'new' && typedValues.rate === '' && !isRateTyped && now !== undefined
  const values = followsCurrentRate ? { ...typedValues, rate: firstRate(typedValues, pair, now) } : typedValues
  return {
    ...{ values, pair, now, attempts, restart },
    /** No usable current rate exists. */
    isPaused: rateNow === null,
    countAttempt: () => setAttempts(attempts + 1),
    change(part: Partial<OrderValues>) {
      setIsRateTyped(isRateTyped || 'rate' in part)
      setTypedValues({ ...values, ...part })
    },
  }
}

interface FormOptions {
  userId: number
  wallet: Wallet
  subject: Subject
  /** Called when the form switches to another subject; `endedOrder` is an order that had ended before the change. */
  onLeave: (endedOrder?: Order) => void
}

export function useOrderForm({ userId, wallet, subject, onLeave }: FormOptions) {
  const order = useOrderCommand({
    ...{ userId, onEnded: onLeave },
    onDone({ values: { kind, from, to } }) {
      draft.restart(emptyValues(kind, from, to))
      onLeave()
    },
  })
  const draft = useDraft(subject, () => {
    if (order.restored) return order.restored.values
    const { from, to } = firstPair(wallet)
    return subject.is === 'new' ? emptyValues('limit', from, to) : initialValues(subject)
  })
  const endedState = useOrderCancellation(userId, onLeave)
  const { values, pair, now, attempts } = draft
  const sums = computeSums(values, pair.rateCurrency)
  const side = chooseSide(values, pair.rateCurrency, sums.rate, now)
  const spendable = computeSpendable(wallet, values, subject)
  const shortfallText = values.kind === 'alert' ? undefined : describeShortfall(sums, spendable)
  const errors = validateOrder(values, sums, side)
  const visibleErrors = attempts > 0 ? errors : {}
  return {
    ...{ values, pair, now, side, sums, spendable, subject, attempts, endedState },
    state: order.state,
    clear: order.clear,
    isPaused: draft.isPaused,
    isLocked: order.pending !== undefined,
    isDraftChanged: subject.is === 'new' || isChanged(values, subject),
    errors: { ...visibleErrors, amount: visibleErrors.amount ?? shortfallText ?? amountFailure(order.state) },
    change(part: Partial<OrderValues>) {
      draft.change(part)
      order.clear()
    },
    choose({ kind = values.kind, from = values.from, to = values.to }: Partial<OrderValues>) {
      draft.restart({ ...emptyValues(kind, from, to), amount: from === values.from ? values.amount : '' })
      order.clear()
    },
    submit() {
      if (order.pending) return order.send(order.pending)
      draft.countAttempt()
      const isInvalid = Object.values(errors).some((error) => error !== undefined) || shortfallText !== undefined
      const command = isInvalid
        ? undefined
        : buildCommand(userId, values, subject, { sums, rateCurrency: pair.rateCurrency, side })
      if (command) order.send(command)
    },
    end() {
      if (subject.is === 'order') endedState.cancel(subject.order)
      if (subject.is === 'alert') endedState.remove(subject.alert)
    },
  }
}

export type OrderFormModel = ReturnType<typeof useOrderForm>
