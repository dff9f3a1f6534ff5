import { useQuery } from '@tanstack/react-query'
import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { useEffect, useRef, useState } from 'react'
import { NavigationType, useBlocker, useLocation } from 'react-router'
import { paymentMethods as methodTexts } from '#messages/payment-methods.ts'
import { transfers } from '#messages/transfers.ts'
import { laterPrice } from '#messages/transfers/later-price.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import type { DatedQuote } from '../../../app/orders/dated-quote.ts'
import { paths } from '../../../app/paths.ts'
import { usePayeeWarning } from '../../../app/warnings/use-payee-warning.ts'
import { isMinimumPossible, computeMinimum } from './minimum-amount.ts'
import { findBlocker, isAboveBalance, needsCard, choosePayer } from './payment-source.ts'
import type { UnsentOrder, PendingTransfer, SavedTransfer } from '../pending-transfer.ts'
import type { Draft } from '../use-draft.ts'
import { useCountdown, usePrice } from './use-price.ts'
import { useSendOrder } from './use-send-order.ts'

export interface ReviewStepProps {
  user: CurrentUser
  wallet: Wallet
  draft: Draft
  recipient: PublicUser
  priced: DatedQuote
  /** Order pending from before a reload. */
  restored: PendingTransfer | undefined
  onBack: () => void
  /** Called when an order starts, which blocks going back, and when it ends. */
  onOrderChange: (isOrdered: boolean) => void
  /** `saved`: the form, for changes after an undo. */
  onSent: (transaction: Transaction, tookMs?: number, saved?: SavedTransfer) => void
  onAwaitPayment: (saved: SavedTransfer) => void
}

/** Error of the minimum received; undefined if valid or if the price is final. */
function describeMinimumError({ draft, priced }: ReviewStepProps): string | undefined {
  const least = computeMinimum(draft.funding, priced.quote)
  return least === undefined || isMinimumPossible(least, priced.quote) ? undefined : laterPrice.leastImpossible
}

/** Reason why the chosen payment is not possible; undefined if it is. */
function findError({ draft, priced, wallet }: ReviewStepProps, payer: { bankAccountId: string | undefined }) {
  const { funding } = draft
  if (findBlocker(funding.source, priced.quote, wallet)) return transfers.selectMethod
  if (funding.source === 'wallet') return isAboveBalance(priced.quote, wallet) ? transfers.selectMethod : undefined
  return funding.source === 'bank' && !payer.bankAccountId ? methodTexts.selectAccount : undefined
}

export function useReview(props: ReviewStepProps) {
  const { user, draft, recipient, priced, restored, onOrderChange, onSent, onAwaitPayment } = props
  const { funding } = draft
  const isOrdered = useRef(false)
  const { change, hasEnded, replace, renew } = usePrice(props, isOrdered)
  const methods = useQuery({ ...paymentMethodsQuery(user.id), enabled: funding.source !== 'wallet' })
  const knownMethods = methods.data ?? { cards: [], bank_accounts: [], saves_cards: false }
  const payer = choosePayer(funding, knownMethods, priced.quote.source_currency, new Date())
  const { state, pending, send } = useSendOrder(user.id, restored, {
    onSent,
    onAwaitPayment,
    onFreshQuote: replace,
    onQuoteSpent: renew,
  })
  const [isErrorShown, setIsErrorShown] = useState(false)
  const warning = usePayeeWarning({
    userId: user.id,
    recipientId: recipient.id,
    quote: priced.quote,
    description: draft.values.description,
  })
  const isConfirming = useRef(false)

  // A pending order keeps its quote: only the server knows whether it arrived in time.
  const isSettled = !pending
  isOrdered.current = !isSettled
  useEffect(() => {
    onOrderChange(!isSettled)
    return () => onOrderChange(false)
  }, [isSettled, onOrderChange])
  // A pending order blocks going back, since a change there would be a second order. Only this history entry is
  // blocked: the user may go back from the receipt before React has unmounted this step.
  const { key } = useLocation()
  useBlocker(
    ({ currentLocation, historyAction, nextLocation }) =>
      !isSettled &&
      currentLocation.key === key &&
      historyAction === NavigationType.Pop &&
      nextLocation.pathname === paths.send,
  )
  const secondsLeft = useCountdown(priced.holdsUntilMs, isSettled && !hasEnded, renew)

  const unsentOrder: UnsentOrder = {
    userId: user.id,
    formData: draft.values,
    sourceWalletId: props.wallet.id,
    activeStep: 2,
    paymentSource: funding.source,
    cardId: needsCard(funding.source) && methods.data ? (payer.cardId ?? null) : funding.cardId,
    bankAccountId: payer.bankAccountId ?? funding.bankAccountId,
    keepsCard: funding.keepsCard,
    least: computeMinimum(funding, priced.quote),
    recipientInfo: recipient,
    priced,
  }
  const error = findError(props, payer)
  const minimumError = describeMinimumError(props)
  // The paying instrument is uncertain until cards and accounts are loaded.
  const isUncertain = funding.source !== 'wallet' && !methods.data
  function pay(): void {
    if (state.status === 'unknown') return send(unsentOrder)
    if (isUncertain) return void (methods.isError && methods.refetch())
    const isValid = error === undefined && minimumError === undefined
    setIsErrorShown(!isValid)
    if (isValid) void sendUnlessWarned()
  }
  async function sendUnlessWarned(): Promise<void> {
    if (isConfirming.current) return
    isConfirming.current = true
    const maySend = await warning.confirm()
    isConfirming.current = false
    if (maySend) send(unsentOrder)
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
    unsentOrder,
    isSettled,
    warning,
    /** Payment methods are loading, so no order can be sent yet. */
    isAwaited: isSettled && isUncertain && !methods.isError,
    error: isErrorShown ? error : undefined,
    minimumError: isErrorShown ? minimumError : undefined,
  }
}
