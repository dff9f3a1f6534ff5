import type { FiatCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import { type FormEvent, useState } from 'react'
import { payments } from '#messages/payments.ts'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { faultOfField, type LiveQuote, useLiveQuote } from '../../../app/orders/quotes.ts'
import { type DepositOrder, type Gain, gainOf, orderOf } from './deposit-order.ts'
import { keepDraft } from './draft.ts'
import { usePersistedOrder } from '../persisted-order.ts'
import { type TypedAmount, typedAmount } from '../typed-amount.ts'
import { type Begun, useDepositOrder } from './use-deposit-order.ts'
import { choiceOf, useDepositFields, type WishProps } from './use-deposit-fields.ts'

export interface DepositProps extends WishProps {
  /** The cards and accounts did not load: asks for them again. */
  onRetry: (() => void) | undefined
  /** Nothing is left to do but to wait, if anything. */
  onBegun: (begun: Begun, order: DepositOrder, gain: Gain) => void
}

/** The price of a deposit in another currency than the wallet's. An order under way keeps its own until it is answered. */
function useDepositPrice(
  amount: TypedAmount,
  currency: FiatCode,
  base: FiatCode,
  underWay: DepositOrder | undefined,
): { live: LiveQuote; refused: string | undefined; isConverted: boolean } {
  const isConverted = currency !== base
  const asked = useLiveQuote(
    isConverted && amount.status === 'right'
      ? {
          source_currency: currency,
          target_currency: base,
          amount: toDecimal({ currency, minor: amount.minor }),
          side: 'source',
        }
      : undefined,
  )
  if (underWay?.priced) return { live: { status: 'ready', priced: underWay.priced }, refused: undefined, isConverted }
  const refused = faultOfField(asked, 'amount')
  return { live: refused === undefined ? asked : { status: 'none' }, refused, isConverted }
}

export const amountId = 'deposit-amount'

/** What is put in, how it is paid, what that costs, and what comes of it. */
export function useDeposit({ onBegun, onRetry, ...wish }: DepositProps) {
  const { userId, wallet } = wish
  const kept = usePersistedOrder('deposit', userId)
  const { fields, set } = useDepositFields(wish, kept.left)
  const { text, currency, method, account } = fields
  const [errors, setErrors] = useState<{ amount?: string; account?: string; form?: string }>({})
  const leaveDraft = (paymentId?: string) =>
    keepDraft('deposit', { userId, amount: text, currency, method, ...(paymentId && { paymentId }) })
  const { state, send, clear } = useDepositOrder({
    kept,
    onLeave: leaveDraft,
    onBegun(begun, order) {
      // A payment that fails in the end brings the form back as it was.
      leaveDraft()
      onBegun(begun, order, gainOf(order))
    },
  })

  const amount = typedAmount(currency, text)
  const underWay = state.status === 'unknown' || state.status === 'sending' ? state.order : undefined
  // Until the cards and accounts are known it is not certain what would pay.
  const isAwaited = !underWay && !wish.methods && !onRetry
  const { live, refused, isConverted } = useDepositPrice(amount, currency, wallet.base_currency, underWay)

  const change =
    <Value>(step: (value: Value) => void) =>
    (value: Value) => {
      step(value)
      setErrors({})
      clear()
    }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (state.status === 'sending') return
    if (state.status === 'unknown') return send(state.order)
    if (isAwaited) return
    if (amount.status !== 'right') {
      document.getElementById(amountId)?.focus()
      return setErrors({ amount: amount.status === 'wrong' ? amount.message : payments.enterAmount })
    }
    if (method === 'bank' && !account) return setErrors({ account: texts.selectAccount })
    if (isConverted && live.status !== 'ready') return setErrors({ form: payments.priceFirst })
    const priced = live.status === 'ready' ? live.priced : undefined
    const source =
      method === 'bank' && account
        ? ({ method, accountId: account.id } as const)
        : ({ method: 'card', cardId: fields.cardId, isKept: fields.isKept } as const)
    send(orderOf({ userId, currency, minor: amount.minor, priced, source }))
  }

  const wrongAmount = state.status === 'wrong amount' ? state.message : undefined
  return {
    ...fields,
    ...(underWay && choiceOf(underWay, wish.methods)),
    amount,
    live,
    isConverted,
    state,
    isLocked: underWay !== undefined,
    isAwaited,
    errors: { ...errors, amount: errors.amount ?? refused ?? wrongAmount },
    type: change(set.text),
    chooseCurrency: change(set.currency),
    chooseMethod: change(set.method),
    chooseCard: change(set.card),
    chooseAccount: change(set.account),
    keepCard: set.isKept,
    leaveDraft: () => leaveDraft(),
    submit,
  }
}

export type DepositModel = ReturnType<typeof useDeposit>
