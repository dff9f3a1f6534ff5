import { type BankAccount, withdraw, withdrawalEstimate, withdrawalRequest } from '@tern/contract/banking'
import { Refused } from '@tern/contract/protocol/client'
import type { CallInput, Reply } from '@tern/contract/protocol/endpoint'
import type { Wallet } from '@tern/contract/wallets'
import { feeBeyond } from '@tern/money/fee'
import { add, compare, isPositive, type Money, parseDecimal, toDecimal, zero } from '@tern/money/money'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { withdrawals } from '#messages/withdrawals.ts'
import { type FormErrors, schemaErrors } from '../../../app/forms/resolver.ts'
import { useOrderForm } from '../../../app/use-order-form.ts'
import { chosenBankAccount } from '../../../app/instruments/payment-methods.ts'
import { amountOf } from '../../../app/orders/amount.ts'
import { type OrderFailure, useMoneyOrder } from '../../../app/orders/money-order.ts'
import { tabOrderStore } from '../../../app/orders/persisted-order.ts'
import { callApi } from '../../../app/session/session.ts'
import { supportSentence } from '../../../app/support/support.ts'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { dropDraft, keepDraft, readDraft } from '../draft.ts'

type WithdrawalOrder = CallInput<typeof withdraw>['body']

/** A withdrawal that the server has taken on. */
export interface Ordered {
  readonly reply: Reply<typeof withdraw>
  readonly order: WithdrawalOrder
  /** Undefined when it was removed since. */
  readonly account: BankAccount | undefined
}

export type WithdrawalEstimate = Reply<typeof withdrawalEstimate>

export interface WithdrawalProps {
  userId: number
  wallet: Wallet
  /** The person's bank accounts, the default one first. */
  accounts: readonly BankAccount[]
  /** The id of an account that was linked just now. */
  linkedAccount: string | undefined
  onOrdered: (ordered: Ordered) => void
}

/** The withdrawal of this person that has no answer. */
export const withdrawalStore = (userId: number) =>
  tabOrderStore<WithdrawalOrder>('withdraw', (order) => withdrawalRequest.safeParse(order).data?.userId === userId)

function failureOf(error: unknown): OrderFailure {
  if (!(error instanceof Refused)) return { title: withdrawals.failed, detail: '' }
  if (error.code === 'insufficient_funds') return { detail: '', field: 'amount' }
  return { title: supportSentence(withdrawals.refused), detail: error.message }
}

function useWithdrawalOrder(userId: number, onOrdered: (ordered: Pick<Ordered, 'reply' | 'order'>) => void) {
  const queryClient = useQueryClient()
  return useMoneyOrder<WithdrawalOrder, Reply<typeof withdraw>>({
    store: withdrawalStore(userId),
    bodyOf: (order) => order,
    call: (body, keys) => callApi(withdraw, { body, ...keys }),
    onReply(reply, order, { isHere }) {
      if (reply.redirectUrl !== null) return { leaveFor: reply.redirectUrl }
      if (reply.status === 'failed') return { title: supportSentence(withdrawals.refused), detail: '' }
      return isHere ? onOrdered({ reply, order }) : undefined
    },
    onFailure(error) {
      // Something else was quicker, such as a withdrawal on another device: what it costs now is shown next.
      void queryClient.invalidateQueries({ queryKey: estimateKey() })
      return failureOf(error)
    },
  })
}

/** How much goes to which account, what is wrong with it, and what comes of it. */
export function useWithdrawal({ userId, wallet, accounts, linkedAccount, onOrdered }: WithdrawalProps) {
  const currency = wallet.base_currency
  const accountOf = (order: WithdrawalOrder) => accounts.find(({ id }) => id === order.bankAccountId)
  const order = useWithdrawalOrder(userId, (ordered) => onOrdered({ ...ordered, account: accountOf(ordered.order) }))
  const { state, pending } = order
  const [left] = useState(() => String(order.left?.amount ?? readDraft('withdraw', userId)?.amount ?? ''))
  useEffect(() => dropDraft('withdraw'), [])
  const form = useOrderForm<{ amount: string; accountId?: string }, WithdrawalOrder>({
    order,
    start: { amount: left },
    errorsOf,
    wanted,
  })
  const { amount: text, accountId } = form.values

  const account = pending ? accountOf(pending) : chosenBankAccount(accounts, currency, accountId ?? linkedAccount)
  const amount = amountOf(currency, text)
  const { data: estimate } = useEstimate(account?.id)
  const fee = amount && feeOf(amount, estimate)
  const total = amount && fee && add(amount, fee)
  const exceeds = total !== undefined && compare(total, parseDecimal(currency, wallet.fiat_balance)) > 0
  const isOnlyFeeBeyond =
    exceeds && amount !== undefined && compare(amount, parseDecimal(currency, wallet.fiat_balance)) <= 0
  // An order under way may have been carried out already: then the balance says nothing about it.
  const isBeyond = (exceeds && !pending) || (state.status === 'failed' && state.failure.field === 'amount')
  const insufficient = isOnlyFeeBeyond
    ? withdrawals.insufficientForFee(formatExactWithSign(estimate?.withdrawable ?? '0', currency))
    : withdrawals.insufficient(formatExactWithSign(wallet.fiat_balance, currency))

  function wanted(): WithdrawalOrder | undefined {
    if (!amount || !account || !total) return undefined
    return { amount: toDecimal(amount), currency, bankAccountId: account.id, userId, expected_total: toDecimal(total) }
  }

  function errorsOf(): FormErrors {
    if (isBeyond) return { amount: insufficient }
    if (!amount) return { amount: withdrawals.enterAmount }
    return account ? schemaErrors(withdrawalRequest, wanted()) : { accountId: texts.selectAccount }
  }

  return {
    ...form,
    text,
    currency,
    account,
    amount,
    estimate,
    /** On top of the amount. */
    fee,
    /** The amount with its fee. */
    total,
    errors: { account: form.errorOf('accountId'), amount: isBeyond ? insufficient : form.errorOf('amount') },
    /** The balance does not carry the amount. */
    isBeyond,
    /** The amount is one that could be withdrawn now. */
    isPossible: amount !== undefined && !exceeds,
    leaveDraft: () => keepDraft('withdraw', { userId, amount: text }),
  }
}

/** When a withdrawal to this account would arrive, what it costs, and how much could be withdrawn now. */
const useEstimate = (accountId: string | undefined) =>
  useQuery({
    queryKey: estimateKey(accountId),
    queryFn: ({ signal }) => callApi(withdrawalEstimate, { query: { bankAccountId: accountId ?? '' } }, signal),
    enabled: accountId !== undefined,
  })

const estimateKey = (...account: readonly unknown[]) => ['withdrawal-estimate', ...account] as const

/** What an amount costs, as far as is known: at any other price the order is refused. */
const feeOf = (amount: Money, estimate: WithdrawalEstimate | undefined): Money =>
  estimate
    ? feeBeyond(amount, parseDecimal(amount.currency, estimate.without_cost), BigInt(estimate.cost_basis_points))
    : zero(amount.currency)

/** A fee as people read it: nothing, in a word. */
export const feeText = (fee: Money): string =>
  isPositive(fee) ? formatExactWithSign(toDecimal(fee), fee.currency) : withdrawals.noFee

export type WithdrawalModel = ReturnType<typeof useWithdrawal>
