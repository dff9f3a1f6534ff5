import { useQueryClient } from '@tanstack/react-query'
import { deposit, depositRequest } from '@tern/contract/payments'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type FiatCode, isFiatCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import { useEffect, useState } from 'react'
import { payments } from '#messages/payments.ts'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { type FormErrors, schemaErrors } from '../../../app/forms/resolver.ts'
import { useOrderForm } from '../../../app/use-order-form.ts'
import { findChosenBankAccount, findDefaultCard } from '../../../app/instruments/payment-methods.ts'
import { parseAmount, largestPayment } from '../../../app/orders/amount.ts'
import type { MoneyContent } from '../../../app/orders/MoneyPage.tsx'
import { amountFailure, type OrderFailure, useMoneyOrder } from '../../../app/orders/money-order.ts'
import { isProviderDown } from '../../../app/orders/orders.ts'
import { useLiveQuote } from '../../../app/orders/quotes.ts'
import { callApi } from '../../../app/session/session.ts'
import { removeDraft, writeDraft, readDraft } from '../draft.ts'
import { type DepositOrder, depositStore, toDepositOrder } from './deposit-order.ts'

type Methods = NonNullable<MoneyContent['methods']>

export interface StartedDeposit {
  readonly reply: Reply<typeof deposit>
  readonly order: DepositOrder
}

export interface DepositProps extends Pick<MoneyContent, 'wallet' | 'methods' | 'onRetry'> {
  userId: number
  /** Id of an account linked just now. */
  linkedAccount: string | undefined
  /** Called once the deposit needs no further action of the user. */
  onStarted: (startedDeposit: StartedDeposit) => void
}

interface Values {
  amount: string
  currency: FiatCode
  /** Undefined until chosen, like `cardId` and `accountId`; the default then applies. */
  method: 'card' | 'bank' | undefined
  /** Null means a new card. */
  cardId: string | null | undefined
  accountId: string | undefined
  keepsCard: boolean
}

/** Deposit currencies offered for every wallet, in addition to its base currency. */
const depositCurrencies: readonly FiatCode[] = ['USD', 'EUR', 'GBP']

const emptyMethods: Methods = { cards: [], bank_accounts: [], saves_cards: false }

/** False for a new card, which is charged only on the provider's page. */
const isCharging = ({ body }: DepositOrder): boolean => body.method === 'bank' || body.paymentMethodId !== undefined

const describeRefusal = ({ body }: DepositOrder): string =>
  body.method === 'card' ? payments.declined : payments.bankFailed

function describeFailure(error: unknown, order: DepositOrder): OrderFailure {
  if (!(error instanceof Refused)) return { detail: payments.failed }
  if (error.code === 'quote_expired') return { detail: payments.priceRenewed, tone: 'info' }
  const onAmount = error.errors.find(({ field }) => field === 'amount')
  if (error.code === 'limit_exceeded') return { detail: error.message }
  // A decline by the card or bank is not an error of the amount.
  if (onAmount && error.code !== 'payment_refused') return { detail: onAmount.message, field: 'amount' }
  const reason = onAmount?.message ?? error.message
  return { detail: error.status < 500 ? `${describeRefusal(order)} ${reason}` : payments.failed }
}

/** Sends deposits. `storePayment` stores the draft, with the id of the payment whose provider page is opened. */
function useDepositOrder(
  userId: number,
  storePayment: (paymentId?: string) => void,
  onStarted: DepositProps['onStarted'],
) {
  const queryClient = useQueryClient()
  return useMoneyOrder<DepositOrder, StartedDeposit['reply']>({
    store: depositStore(userId),
    buildBody: ({ body }) => body,
    call: ({ body }, keys) => callApi(deposit, { body, ...keys }),
    isCharging,
    isOutcomeUnknown: isProviderDown,
    onReply(reply, order, { isCurrentPage }) {
      if (reply.redirectUrl !== null) {
        storePayment(reply.payment_id)
        return { redirectTo: reply.redirectUrl }
      }
      if (reply.status === 'failed') return { detail: describeRefusal(order) }
      if (!isCurrentPage) return undefined
      // If the payment fails later, the form is restored from the draft.
      storePayment()
      return onStarted({ reply, order })
    },
    onFailure(error, order) {
      if (error instanceof Refused && error.code === 'quote_expired') {
        void queryClient.invalidateQueries({ queryKey: ['quote'] })
      }
      return describeFailure(error, order)
    },
  })
}

/** Initial values: those of an unanswered order, otherwise the stored draft. */
function chooseStartValues(restored: DepositOrder['body'] | undefined, userId: number, base: FiatCode) {
  const storedDraft = restored ? undefined : readDraft('deposit', userId)
  const draft = restored ?? storedDraft
  const { currency } = draft ?? {}
  const values: Values = {
    amount: String(draft?.amount ?? ''),
    currency: currency && isFiatCode(currency) && listCurrencies(base).includes(currency) ? currency : base,
    method: undefined,
    cardId: restored?.method === 'card' ? (restored.paymentMethodId ?? null) : undefined,
    accountId: restored?.bankAccountId,
    keepsCard: false,
  }
  return { values, method: draft?.method ?? 'card', accountId: storedDraft?.accountId }
}

const listCurrencies = (base: FiatCode) => [...new Set([base, ...depositCurrencies])]

export function useDeposit({ userId, wallet, methods, linkedAccount, onRetry, onStarted }: DepositProps) {
  const base = wallet.base_currency
  const order = useDepositOrder(userId, storeDraft, onStarted)
  const [initial] = useState(() => chooseStartValues(order.restored?.body, userId, base))
  useEffect(() => removeDraft('deposit'), [])
  const form = useOrderForm({ order, start: initial.values, validate, buildOrder })
  const { cardId: chosenCard, accountId, ...values } = form.values
  const { cards, bank_accounts: accounts } = methods ?? emptyMethods
  const { currency } = values

  // The source of a sent order stays selected until it is answered, even if the default changes.
  const pendingBody = order.pending?.body
  const cardChoice = chosenCard === undefined ? findDefaultCard(cards, new Date())?.id : (chosenCard ?? undefined)
  const cardId = pendingBody ? pendingBody.paymentMethodId : cardChoice
  const method = pendingBody?.method ?? values.method ?? (linkedAccount === undefined ? initial.method : 'bank')
  const account = findChosenBankAccount(
    accounts,
    currency,
    pendingBody?.bankAccountId ?? accountId ?? linkedAccount ?? initial.accountId,
  )
  const amount = parseAmount(currency, values.amount)
  const payable = amount && amount.minor <= largestPayment ? { ...amount, currency } : undefined
  const isConverted = currency !== base
  const request = payable && { source_currency: currency, target_currency: base, amount: toDecimal(payable) }
  const live = useLiveQuote(isConverted && request ? { ...request, side: 'source' } : undefined, order.pending?.priced)

  function storeDraft(paymentId?: string): void {
    const draftFields = { userId, amount: values.amount, currency, method, accountId: account?.id }
    writeDraft('deposit', paymentId ? { ...draftFields, paymentId } : draftFields)
  }

  /** Order from the current form; undefined while input is missing. */
  function buildOrder(): DepositOrder | undefined {
    const { priced } = live
    if (!payable || (isConverted && !priced)) return undefined
    const bank = account && { method: 'bank' as const, accountId: account.id }
    const source = method === 'card' ? { method, cardId, keepsCard: values.keepsCard } : bank
    return source && toDepositOrder({ userId, amount: payable, priced, source })
  }

  function validate(): FormErrors {
    if (!amount) return { amount: payments.enterAmount }
    if (!payable) return { amount: payments.tooMuch }
    if (method === 'bank' && !account) return { accountId: texts.selectAccount }
    const next = buildOrder()
    return next ? schemaErrors(depositRequest, next.body) : { root: payments.priceFirst }
  }

  // The paying source is uncertain until the cards and accounts are loaded.
  const isAwaited = !order.pending && !methods && !onRetry
  return {
    ...form,
    ...values,
    method,
    cardId,
    account,
    live,
    isConverted,
    payable,
    currencies: listCurrencies(base),
    isAwaited,
    errors: {
      amount: form.fieldError('amount') ?? live.refused?.amount ?? amountFailure(order.state),
      account: form.fieldError('accountId'),
      form: form.fieldError('root'),
    },
    storeDraft: () => storeDraft(),
    submit: () => (isAwaited ? undefined : form.submit()),
  }
}

export type DepositModel = ReturnType<typeof useDeposit>
