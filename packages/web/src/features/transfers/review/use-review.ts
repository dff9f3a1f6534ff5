import { useQuery } from '@tanstack/react-query'
import { createQuote } from '@tern/contract/exchange'
import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { type RefObject, useRef, useState } from 'react'
import { NavigationType, useBlocker, useLocation } from 'react-router'
import { paymentMethods as methodTexts } from '#messages/payment-methods.ts'
import { transfers } from '#messages/transfers.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { type DatedQuote, dated } from '../../../app/orders/quotes.ts'
import { paths } from '../../../app/paths.ts'
import { callApi } from '../../../app/session/session.ts'
import { useIsCurrentPage } from '../../../app/use-is-current-page.ts'
import { blockerOf, isAboveBalance, type FundingSource, needsCard, payerOf } from './payment-source.ts'
import type { Intended, PendingTransfer, SavedTransfer } from '../pending-transfer.ts'
import { priceChange } from './price-change.ts'
import { quoteRequestOf, type SendForm, shortNameOf } from '../send-form.ts'
import { useCountdown } from './use-countdown.ts'
import { useSendOrder } from './use-send-order.ts'

export interface ReviewStepProps {
  user: CurrentUser
  wallet: Wallet
  form: SendForm
  funding: FundingSource
  recipient: PublicUser
  priced: DatedQuote
  /** An order of before a reload that the server has not answered. */
  restored: PendingTransfer | undefined
  onFunding: (funding: FundingSource) => void
  onPriced: (priced: DatedQuote) => void
  onBack: () => void
  onSent: (transaction: Transaction) => void
  onAwaited: (saved: SavedTransfer) => void
}

/** What keeps the transfer from being paid as chosen; undefined when nothing does. */
function errorOf({ funding, priced, wallet }: ReviewStepProps, payer: { bankAccountId: string | undefined }) {
  if (blockerOf(funding.source, priced.quote, wallet)) return transfers.selectMethod
  if (funding.source === 'wallet') return isAboveBalance(priced.quote, wallet) ? transfers.selectMethod : undefined
  return funding.source === 'bank' && !payer.bankAccountId ? methodTexts.selectAccount : undefined
}

/** The price an order stands on: renewed in sight of the person when it ends, quietly when it only stood too long. */
function usePrice({ form, recipient, priced, onPriced }: ReviewStepProps, isOrdered: RefObject<boolean>) {
  const isHere = useIsCurrentPage()
  const [change, setChange] = useState<string>()
  const [hasEnded, setHasEnded] = useState(false)
  // One that had ended before it was shown here says something only when it has changed.
  const [wasStale] = useState(() => priced.holdsUntilMs < Date.now())
  const replace = (fresh: DatedQuote) => {
    const isSame = fresh.quote.total === priced.quote.total && fresh.quote.target_amount === priced.quote.target_amount
    const text = priceChange(priced.quote, fresh.quote, shortNameOf(recipient))
    setChange(isSame && wasStale && change === undefined ? undefined : text)
    setHasEnded(false)
    onPriced(fresh)
  }
  async function renew(): Promise<void> {
    const body = quoteRequestOf({ ...form, recipient })
    if (!body) return
    try {
      const askedAtMs = Date.now()
      const fresh = dated(await callApi(createQuote, { body }), askedAtMs)
      // An order under way stands on the price that it was given at, and another form has a price of its own.
      if (isHere() && !isOrdered.current) replace(fresh)
    } catch (error) {
      reportError(error)
      setHasEnded(true)
    }
  }
  return { change, hasEnded, replace, renew: () => void renew() }
}

/** The last step's state: how it is paid, the order, and the price it stands on. */
export function useReview(props: ReviewStepProps) {
  const { user, form, funding, recipient, priced, restored, onSent, onAwaited } = props
  const isOrdered = useRef(false)
  const { change, hasEnded, replace, renew } = usePrice(props, isOrdered)
  const methods = useQuery({ ...paymentMethodsQuery(user.id), enabled: funding.source !== 'wallet' })
  const known = methods.data ?? { cards: [], bank_accounts: [] }
  const payer = payerOf(funding, known, priced.quote.source_currency, new Date())
  const { state, pending, send } = useSendOrder(user.id, restored, {
    onSent,
    onAwaited,
    onFreshQuote: (fresh) => replace(dated(fresh, Date.now())),
    onQuoteSpent: renew,
  })
  const [isErrorShown, setIsErrorShown] = useState(false)

  // An order under way keeps its quote: only the server can say whether it came in time.
  const isSettled = !pending
  isOrdered.current = !isSettled
  // Nor does it give way to an earlier step: what is changed there would be a second order. The receipt has an entry of
  // its own, from which people may go back even before React has cleared this away.
  const { key } = useLocation()
  useBlocker(
    ({ currentLocation, historyAction, nextLocation }) =>
      !isSettled &&
      currentLocation.key === key &&
      historyAction === NavigationType.Pop &&
      nextLocation.pathname === paths.send,
  )
  const secondsLeft = useCountdown(priced.holdsUntilMs, isSettled && !hasEnded, renew)

  const intended: Intended = {
    userId: user.id,
    formData: form,
    activeStep: 2,
    paymentSource: funding.source,
    cardId: needsCard(funding.source) && methods.data ? (payer.cardId ?? null) : funding.cardId,
    bankAccountId: payer.bankAccountId ?? funding.bankAccountId,
    keepsCard: funding.keepsCard,
    recipientInfo: recipient,
    priced,
  }
  const error = errorOf(props, payer)
  // Until the cards and accounts are known it is not certain what would pay.
  const isUncertain = funding.source !== 'wallet' && !methods.data
  function pay(): void {
    if (state.status === 'unknown') return send(intended)
    if (isUncertain) return void (methods.isError && methods.refetch())
    setIsErrorShown(error !== undefined)
    if (error === undefined) send(intended)
  }
  return {
    state,
    pay,
    change,
    hasEnded,
    secondsLeft,
    renew,
    methods,
    payer,
    intended,
    isSettled,
    /** What would pay is being asked for: nothing can be ordered before. */
    isAwaited: isSettled && isUncertain && !methods.isError,
    error: isErrorShown ? error : undefined,
  }
}
