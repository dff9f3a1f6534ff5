import type { Reply } from '@tern/contract/endpoint'
import { createQuote } from '@tern/contract/exchange'
import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import type { sendMoney } from '@tern/contract/transfers'
import type { Wallet } from '@tern/contract/wallets'
import { useState } from 'react'
import { NavigationType, useBlocker } from 'react-router'
import { type DatedQuote, dated } from '../../quotes.ts'
import { paths } from '../../paths.ts'
import { callApi } from '../../session.ts'
import type { PendingTransfer } from './pending-transfer.ts'
import { priceChange } from './price-change.ts'
import { quoteRequestOf, type SendForm, shortNameOf } from './send-form.ts'
import { useCountdown } from './use-countdown.ts'
import { useOrder } from './use-order.ts'

export interface ReviewStepProps {
  user: CurrentUser
  wallet: Wallet
  form: SendForm
  recipient: PublicUser
  priced: DatedQuote
  /** An order of before a reload that the server has not answered. */
  restored: PendingTransfer | undefined
  onPriced: (priced: DatedQuote) => void
  onBack: () => void
  onSent: (reply: Reply<typeof sendMoney>) => void
}

/** The last step's state: the order, and the price it stands on, which is renewed in sight of the person when it ends. */
export function useReview({ user, form, recipient, priced, restored, onPriced, onSent }: ReviewStepProps) {
  const [change, setChange] = useState<string>()
  const [hasEnded, setHasEnded] = useState(false)
  const replace = (fresh: DatedQuote) => {
    setChange(priceChange(priced.quote, fresh.quote, shortNameOf(recipient)))
    setHasEnded(false)
    onPriced(fresh)
  }
  const { state, send } = useOrder(restored, {
    onSent,
    onFreshQuote: (fresh) => replace(dated(fresh, Date.now())),
  })

  async function renew(): Promise<void> {
    const body = quoteRequestOf({ ...form, recipient })
    if (!body) return
    try {
      const askedAtMs = Date.now()
      replace(dated(await callApi(createQuote, { body }), askedAtMs))
    } catch (error) {
      reportError(error)
      setHasEnded(true)
    }
  }
  // An order under way keeps its quote: only the server can say whether it came in time.
  const isSettled = state.status !== 'sending' && state.status !== 'unknown'
  // Nor does it give way to an earlier step: what is changed there would be a second order.
  useBlocker(
    ({ historyAction, nextLocation }) =>
      !isSettled && historyAction === NavigationType.Pop && nextLocation.pathname === paths.send,
  )
  const secondsLeft = useCountdown(priced.holdsUntilMs, isSettled && !hasEnded, () => void renew())

  const order = {
    userId: user.id,
    formData: form,
    activeStep: 2,
    paymentSource: 'wallet',
    recipientInfo: recipient,
    priced,
  } as const
  return { state, send: () => void send(order), change, hasEnded, secondsLeft, renew: () => void renew() }
}
