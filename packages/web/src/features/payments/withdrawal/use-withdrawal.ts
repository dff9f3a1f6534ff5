import { type BankAccount, withdraw, withdrawalEstimate, withdrawalRequest } from '@tern/contract/banking'
import { Refused } from '@tern/contract/protocol/client'
import type { CallInput, Reply } from '@tern/contract/protocol/endpoint'
import type { Wallet } from '@tern/contract/wallets'
import { feeAbove } from '@tern/money/fee'
import { add, compare, isPositive, type Money, money, parseDecimal, toDecimal, zero } from '@tern/money/money'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { withdrawals } from '#messages/withdrawals.ts'
import { type FormErrors, schemaErrors } from '../../../app/forms/resolver.ts'
import { useOrderForm } from '../../../app/use-order-form.ts'
import { isMismatch, payeeQuery, payeeTopic } from '../../../app/instruments/payee.ts'
import { findChosenBankAccount } from '../../../app/instruments/payment-methods.ts'
import { useBankLink } from '../../../app/instruments/use-bank-link.ts'
import { parseAmount } from '../../../app/orders/amount.ts'
import { type OrderFailure, useMoneyOrder } from '../../../app/orders/money-order.ts'
import { tabOrderStore } from '../../../app/orders/persisted-order.ts'
import { buildQuery } from '../../../app/session/query.ts'
import { callApi } from '../../../app/session/session.ts'
import { supportSentence } from '../../../app/support/support.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { removeDraft, writeDraft, readDraft } from '../draft.ts'

type WithdrawalOrder = CallInput<typeof withdraw>['body']

export interface PlacedWithdrawal {
  readonly reply: Reply<typeof withdraw>
  readonly order: WithdrawalOrder
  /** Undefined if it has been removed since. */
  readonly account: BankAccount | undefined
}

export type WithdrawalEstimate = Reply<typeof withdrawalEstimate>

export interface WithdrawalProps {
  userId: number
  wallet: Wallet
  /** The user's bank accounts, default first. */
  accounts: readonly BankAccount[]
  /** Id of an account linked just now. */
  linkedAccount: string | undefined
  onPlaced: (placed: PlacedWithdrawal) => void
}

interface WithdrawalValues {
  amount: string
  accountId?: string
  /** Id of the mismatch that the user accepts. */
  acceptedPayee?: string
}

/** Store of the user's unanswered withdrawal. */
export const withdrawalStore = (userId: number) =>
  tabOrderStore<WithdrawalOrder>('withdraw', (order) => withdrawalRequest.safeParse(order).data?.userId === userId)

function describeFailure(error: unknown): OrderFailure {
  if (!(error instanceof Refused)) return { title: withdrawals.failed, detail: '' }
  if (error.code === 'insufficient_funds') return { detail: '', field: 'amount' }
  if (error.code === 'payee_not_confirmed') return { detail: error.message, tone: 'warning' }
  return { title: supportSentence(withdrawals.refused), detail: error.message }
}

function useWithdrawalOrder(userId: number, onPlaced: (placed: Pick<PlacedWithdrawal, 'reply' | 'order'>) => void) {
  const queryClient = useQueryClient()
  return useMoneyOrder<WithdrawalOrder, Reply<typeof withdraw>>({
    store: withdrawalStore(userId),
    buildBody: (order) => order,
    call: (body, keys) => callApi(withdraw, { body, ...keys }),
    onReply(reply, order, { isCurrentPage }) {
      if (reply.redirectUrl !== null) return { redirectTo: reply.redirectUrl }
      if (reply.status === 'failed') return { title: supportSentence(withdrawals.refused), detail: '' }
      return isCurrentPage ? onPlaced({ reply, order }) : undefined
    },
    onFailure(error) {
      // The cost may have changed, for example after a withdrawal on another device; refetches it.
      void queryClient.invalidateQueries({ queryKey: ['withdrawal-estimate'] })
      void queryClient.invalidateQueries({ queryKey: [payeeTopic] })
      return describeFailure(error)
    },
  })
}

/**
 * State of a withdrawal: amount, account and outcome. Without an account, the button links one; its confirmation also
 * covers the withdrawal.
 */
export function useWithdrawal({ userId, wallet, accounts, linkedAccount, onPlaced }: WithdrawalProps) {
  const currency = wallet.base_currency
  const findAccount = (order: WithdrawalOrder) => accounts.find(({ id }) => id === order.bankAccountId)
  const order = useWithdrawalOrder(userId, (placed) => onPlaced({ ...placed, account: findAccount(placed.order) }))
  const { state, pending } = order
  const [draft] = useState(() => readDraft('withdraw', userId))
  useEffect(() => removeDraft('withdraw'), [])
  const form = useOrderForm<WithdrawalValues, WithdrawalOrder>({
    order,
    start: { amount: String(order.restored?.amount ?? draft?.amount ?? '') },
    validate,
    buildOrder,
  })
  const { amount: text, accountId } = form.values

  const chosenId = accountId ?? linkedAccount ?? draft?.accountId
  const account = pending ? findAccount(pending) : findChosenBankAccount(accounts, currency, chosenId)
  const amount = parseAmount(currency, text)
  const { data: payee } = useQuery(payeeQuery(userId, account?.id))
  const acceptedPayee = form.values.acceptedPayee === payee?.id ? form.values.acceptedPayee : undefined
  const isPayeeAccepted = acceptedPayee !== undefined
  const { data: estimate } = useEstimate(account?.id)
  const fee = amount && computeCost(amount, estimate)
  const total = amount && fee && add(amount, fee)
  const balance = parseDecimal(currency, wallet.fiat_balance)
  const maximum = estimate ? parseDecimal(currency, estimate.withdrawable) : computeWithdrawable(wallet)
  const available = formatExact(toDecimal(maximum), currency)
  const isAboveBalance = total !== undefined && compare(total, balance) > 0
  const exceedsMaximum = amount !== undefined && compare(amount, maximum) > 0
  // A pending order may already be debited, so it is not checked against the balance.
  const exceedsBalance =
    ((isAboveBalance || exceedsMaximum) && !pending) || (state.status === 'failed' && state.failure.field === 'amount')
  const insufficient =
    amount && compare(amount, balance) <= 0
      ? isAboveBalance
        ? withdrawals.insufficientForFee(available)
        : withdrawals.nowToBank(available)
      : withdrawals.insufficient(formatExact(wallet.fiat_balance, currency))
  const isPossible = amount !== undefined && !isAboveBalance && !exceedsMaximum
  const bank = useBankLink(
    'withdraw',
    () => writeDraft('withdraw', { userId, amount: text, accountId: account?.id }),
    isPossible ? { amount: toDecimal(amount), currency } : undefined,
  )

  function buildOrder(): WithdrawalOrder | undefined {
    if (!amount || !account || !total) return undefined
    const order = {
      amount: toDecimal(amount),
      currency,
      bankAccountId: account.id,
      userId,
      expected_total: toDecimal(total),
    }
    return isPayeeAccepted ? { ...order, payee_check: acceptedPayee } : order
  }

  function validate(): FormErrors {
    if (exceedsBalance) return { amount: insufficient }
    // With an empty wallet, an account can still be linked for later.
    if (!amount && (account || isPositive(maximum))) return { amount: withdrawals.enterAmount }
    // The note about the payee words the error.
    if (isMismatch(payee) && !isPayeeAccepted) return { acceptedPayee: 'missing' }
    return account ? schemaErrors(withdrawalRequest, buildOrder()) : {}
  }

  return {
    ...form,
    text,
    currency,
    account,
    amount,
    estimate,
    /** Charged on top of the amount. */
    fee,
    total,
    /** The bank's answer about the name on the account. */
    payee,
    isPayeeAccepted,
    amountError: exceedsBalance ? insufficient : form.fieldError('amount'),
    /** More than can be withdrawn now. */
    exceedsBalance,
    /** The amount can be withdrawn now. */
    isPossible,
    /** Largest amount that can be withdrawn now. */
    maximum,
    /** Parts of the balance that cannot be withdrawn yet. */
    restrictedParts: estimate?.restricted ?? computeRestricted(wallet),
    bank,
    submit: () => (account || pending ? form.submit() : void form.form.handleSubmit(bank.link)()),
  }
}

const computeRestricted = ({ restricted: restrictedMoney, base_currency: base }: Wallet) =>
  restrictedMoney.filter(({ currency }) => currency === base)

/** Withdrawable part of the balance, derived from the wallet alone. */
function computeWithdrawable(wallet: Wallet): Money {
  const currency = wallet.base_currency
  const { minor } = parseDecimal(currency, wallet.fiat_balance)
  const restrictedTotal = computeRestricted(wallet).reduce(
    (sum, { amount }) => sum + parseDecimal(currency, amount).minor,
    0n,
  )
  return money(currency, minor > restrictedTotal ? minor - restrictedTotal : 0n)
}

/** Arrival date, fee terms and largest withdrawable amount for an account. */
const useEstimate = (accountId: string | undefined) =>
  useQuery(
    buildQuery(['withdrawal-estimate', accountId], withdrawalEstimate, { query: { bankAccountId: accountId ?? '' } }),
  )

/** Fee of an amount by the current estimate; the server refuses the order if the fee differs. */
const computeCost = (amount: Money, estimate: WithdrawalEstimate | undefined): Money =>
  estimate
    ? feeAbove(amount, parseDecimal(amount.currency, estimate.without_cost), BigInt(estimate.cost_basis_points))
    : zero(amount.currency)

/** Formatted fee; a zero fee is shown in words. */
export const feeText = (fee: Money): string =>
  isPositive(fee) ? formatExact(toDecimal(fee), fee.currency) : withdrawals.noFee

export type WithdrawalModel = ReturnType<typeof useWithdrawal>
