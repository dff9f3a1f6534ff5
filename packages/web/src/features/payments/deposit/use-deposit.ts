import { useQueryClient } from '@tanstack/react-query'
import type { paymentMethods } from '@tern/contract/banking'
import { cardDeposit, deposit, depositByCard, depositRequest } from '@tern/contract/payments'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Wallet } from '@tern/contract/wallets'
import { type FiatCode, isFiatCode } from '@tern/money/currency'
import { type Money, toDecimal } from '@tern/money/money'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { payments } from '#messages/payments.ts'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { type FormErrors, resolverOf, schemaErrors } from '../../../app/forms/resolver.ts'
import { usualBankAccount, usualCard } from '../../../app/instruments/payment-methods.ts'
import { amountOf, largestPayment } from '../../../app/orders/amount.ts'
import { amountFailure, type OrderFailure, type OrderKind, useMoneyOrder } from '../../../app/orders/money-order.ts'
import { isProviderDown } from '../../../app/orders/orders.ts'
import { errorOfField, type LiveQuote, useLiveQuote } from '../../../app/orders/quotes.ts'
import { callApi } from '../../../app/session/session.ts'
import { dropDraft, keepDraft, readDraft } from '../draft.ts'
import { type DepositOrder, depositStore, type Gain, gainOf, orderOf, typedOf } from './deposit-order.ts'

type Methods = Reply<typeof paymentMethods>
export type Begun = Reply<typeof deposit>

export interface DepositProps {
  userId: number
  wallet: Wallet
  /** The person's cards and bank accounts; undefined until they are loaded. */
  methods: Methods | undefined
  /** The cards and accounts did not load: asks for them again. */
  onRetry: (() => void) | undefined
  /** The id of an account that was linked just now. */
  linkedAccount: string | undefined
  /** Nothing is left to do but to wait, if anything. */
  onBegun: (begun: Begun, order: DepositOrder, gain: Gain) => void
}

interface Values {
  amount: string
  currency: FiatCode
  /** Undefined until chosen, as `cardId` and `accountId` are: then the usual one stands. */
  method: 'card' | 'bank' | undefined
  /** Null is a new card. */
  cardId: string | null | undefined
  accountId: string | undefined
  keepsCard: boolean
}

/** What cards and banks everywhere can pay, beside the wallet's own currency. */
const depositCurrencies: readonly FiatCode[] = ['USD', 'EUR', 'GBP']

const none: Methods = { cards: [], bank_accounts: [] }

/** A card that is yet to be entered on the provider's page pays nothing before. */
const isCharging = (order: DepositOrder): boolean => order.method === 'bank' || order.body.paymentMethodId !== undefined

function failureOf(error: unknown, { method }: DepositOrder): OrderFailure {
  if (!(error instanceof Refused)) return { detail: payments.failed }
  if (error.code === 'quote_expired') return { detail: payments.priceRenewed, tone: 'info' }
  const onAmount = error.errors.find(({ field }) => field === 'amount')
  // A card or bank that says no says nothing about the amount.
  if (onAmount && error.code !== 'payment_refused') return { detail: onAmount.message, field: 'amount' }
  const sentence = method === 'card' ? payments.declined : payments.bankFailed
  return { detail: error.status < 500 ? `${sentence} ${onAmount?.message ?? error.message}` : payments.failed }
}

/** Sends deposits. `keep` puts the draft aside, with the payment whose page the browser leaves for. */
function useDepositOrder(userId: number, keep: (paymentId?: string) => void, onBegun: DepositProps['onBegun']) {
  const queryClient = useQueryClient()
  const kind: OrderKind<DepositOrder, Begun> = {
    store: depositStore(userId),
    bodyOf: ({ body }) => body,
    call: ({ method, body }, { idempotencyKey }) =>
      method === 'card' ? callApi(depositByCard, { body, idempotencyKey }) : callApi(deposit, { body, idempotencyKey }),
    isCharging,
    isOutcomeUnknown: isProviderDown,
    onReply(begun, order, { isHere }) {
      if (begun.redirectUrl !== null) {
        keep(begun.payment_id)
        return { leaveFor: begun.redirectUrl }
      }
      if (begun.status === 'failed') {
        return { detail: order.method === 'card' ? payments.declined : payments.bankFailed }
      }
      if (!isHere) return undefined
      // A payment that fails in the end brings the form back as it was.
      keep()
      return onBegun(begun, order, gainOf(order))
    },
    onFailure(error, order) {
      if (error instanceof Refused && error.code === 'quote_expired') {
        void queryClient.invalidateQueries({ queryKey: ['quote'] })
      }
      return failureOf(error, order)
    },
  }
  return useMoneyOrder(kind)
}

/** What stands in the form at first: an order without an answer, else what was left here. */
function startOf(
  left: DepositOrder | undefined,
  userId: number,
  base: FiatCode,
): Values & { leftMethod: Values['method'] } {
  const draft = left ? { ...typedOf(left), method: left.method } : readDraft('deposit', userId)
  const { currency } = draft ?? {}
  return {
    amount: draft?.amount ?? '',
    currency: currency && isFiatCode(currency) && currenciesOf(base).includes(currency) ? currency : base,
    method: undefined,
    leftMethod: draft?.method,
    cardId: left?.method === 'card' ? (left.body.paymentMethodId ?? null) : undefined,
    accountId: left?.method === 'bank' ? left.body.bankAccountId : undefined,
    keepsCard: false,
  }
}

const currenciesOf = (base: FiatCode) => [...new Set([base, ...depositCurrencies])]

/** What is put in, how it is paid, what that costs, and what comes of it. */
export function useDeposit({ userId, wallet, methods, linkedAccount, onRetry, onBegun }: DepositProps) {
  const base = wallet.base_currency
  const order = useDepositOrder(userId, leaveDraft, onBegun)
  const [{ leftMethod, ...start }] = useState(() => startOf(order.left, userId, base))
  useEffect(() => dropDraft('deposit'), [])
  const form = useForm<Values>({ defaultValues: start, resolver: resolverOf(errorsOf), reValidateMode: 'onSubmit' })
  const { cardId: chosenCard, accountId, ...values } = form.watch()
  const { cards, bank_accounts: accounts } = methods ?? none
  const { currency } = values

  const method = values.method ?? (linkedAccount === undefined ? (leftMethod ?? 'card') : 'bank')
  const cardId = chosenCard === undefined ? usualCard(cards, new Date())?.id : (chosenCard ?? undefined)
  const account = accountFor(accounts, accountId ?? linkedAccount, currency)
  const amount = amountOf(currency, values.amount)
  const payable = amount && amount.minor <= largestPayment ? { ...amount, currency } : undefined
  const price = useDepositPrice(currency, base, payable, order.pending)

  function leaveDraft(paymentId?: string): void {
    keepDraft('deposit', { userId, amount: values.amount, currency, method, ...(paymentId && { paymentId }) })
  }

  /** The order as the form stands; undefined while something is missing. */
  function wanted(): DepositOrder | undefined {
    const priced = price.live.status === 'ready' ? price.live.priced : undefined
    if (!payable || (price.isConverted && !priced)) return undefined
    if (method === 'card') {
      return orderOf({ userId, amount: payable, priced, source: { method, cardId, isKept: values.keepsCard } })
    }
    return account && orderOf({ userId, amount: payable, priced, source: { method, accountId: account.id } })
  }

  function errorsOf(): FormErrors {
    if (!amount) return { amount: payments.enterAmount }
    if (!payable) return { amount: payments.tooMuch }
    if (method === 'bank' && !account) return { accountId: texts.selectAccount }
    const next = wanted()
    if (!next) return { root: payments.priceFirst }
    return schemaErrors(next.method === 'card' ? cardDeposit : depositRequest, next.body)
  }

  // Until the cards and accounts are known it is not certain what would pay.
  const isAwaited = !order.pending && !methods && !onRetry
  const submit = form.handleSubmit(() => {
    const next = wanted()
    if (next) order.send(next)
  })
  const { errors } = form.formState
  return {
    ...values,
    method,
    cardId,
    account,
    ...(order.pending && payerOf(order.pending, accounts)),
    ...price,
    payable,
    currencies: currenciesOf(base),
    state: order.state,
    isLocked: order.pending !== undefined,
    isAwaited,
    form,
    errors: {
      amount: errors.amount?.message ?? price.refused ?? amountFailure(order.state),
      account: errors.accountId?.message,
      form: errors.root?.message,
    },
    set<Name extends keyof Values>(name: Name, value: Values[Name]) {
      form.setValue(name as 'amount', value as string)
      form.clearErrors()
      order.clear()
    },
    leaveDraft: () => leaveDraft(),
    submit() {
      if (order.state.status === 'unknown') order.send(order.state.order)
      else if (!isAwaited) void submit()
    },
  }
}

const accountFor = (accounts: Methods['bank_accounts'], chosen: string | undefined, currency: FiatCode) =>
  accounts.find((account) => account.id === chosen && account.currency === currency) ??
  usualBankAccount(accounts, currency)

/** What pays an order, which stands in the form until it is answered. */
function payerOf(order: DepositOrder, accounts: Methods['bank_accounts']) {
  return order.method === 'card'
    ? { method: order.method, cardId: order.body.paymentMethodId }
    : { method: order.method, account: accounts.find(({ id }) => id === order.body.bankAccountId) }
}

/** The price of a deposit in another currency than the wallet's. An order keeps its own until it is answered. */
function useDepositPrice(
  currency: FiatCode,
  base: FiatCode,
  amount: Money | undefined,
  pending: DepositOrder | undefined,
): { live: LiveQuote; refused: string | undefined; isConverted: boolean } {
  const isConverted = currency !== base
  const asked = useLiveQuote(
    isConverted && amount
      ? { source_currency: currency, target_currency: base, amount: toDecimal(amount), side: 'source' }
      : undefined,
  )
  if (pending?.priced) return { live: { status: 'ready', priced: pending.priced }, refused: undefined, isConverted }
  const refused = errorOfField(asked, 'amount')
  return { live: refused === undefined ? asked : { status: 'none' }, refused, isConverted }
}

export type DepositModel = ReturnType<typeof useDeposit>
