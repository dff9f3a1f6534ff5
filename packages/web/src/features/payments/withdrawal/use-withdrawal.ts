import type { BankAccount } from '@tern/contract/banking'
import type { Wallet } from '@tern/contract/wallets'
import { compare, largestMinor, parseDecimal, toDecimal } from '@tern/money/money'
import { type FormEvent, useEffect, useState } from 'react'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { withdrawals } from '#messages/withdrawals.ts'
import { usualBankAccount } from '../../../app/instruments/payment-methods.ts'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { dropDraft, keepDraft, readDraft } from '../deposit/draft.ts'
import { usePersistedOrder } from '../persisted-order.ts'
import { typedAmount } from '../typed-amount.ts'
import { type Ordered, useWithdrawalOrder, type WithdrawalOrder } from './use-withdrawal-order.ts'

export interface WithdrawalProps {
  userId: number
  wallet: Wallet
  /** The person's bank accounts, the default one first. */
  accounts: readonly BankAccount[]
  /** The id of an account that was linked just now. */
  linkedAccount: string | undefined
  /** `account` is undefined when it was removed since. */
  onOrdered: (ordered: Ordered, order: WithdrawalOrder, account: BankAccount | undefined) => void
}

export const amountId = 'withdrawal-amount'

/** How much goes to which account, what is wrong with it, and what comes of it. */
export function useWithdrawal({ userId, wallet, accounts, linkedAccount, onOrdered }: WithdrawalProps) {
  const currency = wallet.base_currency
  const [draft] = useState(() => readDraft('withdraw', userId))
  useEffect(() => dropDraft('withdraw'), [])
  const kept = usePersistedOrder('withdraw', userId)
  const [text, setText] = useState(String(kept.left?.amount ?? draft?.amount ?? ''))
  const [chosen, setChosen] = useState<string>()
  const [errors, setErrors] = useState<{ amount?: string; account?: string }>({})

  const accountOf = (order: WithdrawalOrder) => accounts.find(({ id }) => id === order.bankAccountId)
  const { state, send, clear } = useWithdrawalOrder(kept, (ordered, order) =>
    onOrdered(ordered, order, accountOf(order)),
  )
  const underWay = state.status === 'unknown' || state.status === 'sending' ? state.order : undefined
  const account = underWay
    ? accountOf(underWay)
    : (accounts.find(({ id, currency: held }) => id === (chosen ?? linkedAccount) && held === currency) ??
      usualBankAccount(accounts, currency))

  const amount = typedAmount(currency, text, largestMinor)
  const balance = parseDecimal(currency, wallet.fiat_balance)
  const exceeds = amount.status === 'right' && compare({ currency, minor: amount.minor }, balance) > 0
  // An order under way may have been carried out already, and the balance says nothing about it.
  const isBeyond = (exceeds && !underWay) || state.status === 'beyond'
  const insufficient = withdrawals.insufficient(formatExactWithSign(wallet.fiat_balance, currency))

  function change(step: () => void): void {
    step()
    setErrors({})
    clear()
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (state.status === 'sending') return
    if (state.status === 'unknown') return send(state.order)
    if (amount.status !== 'right' || isBeyond) {
      document.getElementById(amountId)?.focus()
      return setErrors({ amount: isBeyond ? insufficient : withdrawals.enterAmount })
    }
    if (!account) return setErrors({ account: texts.selectAccount })
    send({ amount: toDecimal({ currency, minor: amount.minor }), currency, bankAccountId: account.id, userId })
  }

  return {
    text,
    currency,
    account,
    amount,
    balance,
    state,
    isLocked: underWay !== undefined,
    errors: {
      account: errors.account,
      amount: isBeyond ? insufficient : errors.amount,
    },
    /** The balance does not carry the amount, as the fault of the amount says. */
    isBeyond,
    /** The amount is one that could be withdrawn now. */
    isPossible: amount.status === 'right' && !exceeds,
    type: (next: string) => change(() => setText(next)),
    takeAll: () => change(() => setText(wallet.fiat_balance)),
    choose: (id: string) => change(() => setChosen(id)),
    leaveDraft: () => keepDraft('withdraw', { userId, amount: text }),
    submit,
  }
}

export type WithdrawalModel = ReturnType<typeof useWithdrawal>
