import type { BankAccount } from '@tern/contract/banking'
import type { Wallet } from '@tern/contract/wallets'
import { compare, largestMinor, parseDecimal, toDecimal } from '@tern/money/money'
import { type FormEvent, useEffect, useState } from 'react'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { withdrawals } from '#messages/withdrawals.ts'
import { usualBankAccount } from '../../payment-methods.ts'
import { formatExactWithSign } from '../../ui/exact-amount.ts'
import { dropDraft, keepDraft, readDraft } from './draft.ts'
import { typedAmount } from './typed-amount.ts'
import { type Ordered, useWithdrawalOrder, type WithdrawalOrder } from './use-withdrawal-order.ts'

export interface WithdrawalProps {
  userId: number
  wallet: Wallet
  /** The person's bank accounts, the default one first. */
  accounts: readonly BankAccount[]
  /** The id of an account that was linked just now. */
  linkedAccount: string | undefined
  onOrdered: (ordered: Ordered, order: WithdrawalOrder, account: BankAccount) => void
}

export const amountId = 'withdrawal-amount'

/** How much goes to which account, what is wrong with it, and what comes of it. */
export function useWithdrawal({ userId, wallet, accounts, linkedAccount, onOrdered }: WithdrawalProps) {
  const currency = wallet.base_currency
  const [draft] = useState(() => readDraft('withdraw', userId))
  useEffect(() => dropDraft('withdraw'), [])
  const [text, setText] = useState(draft?.amount ?? '')
  const [chosen, setChosen] = useState<string>()
  const [faults, setFaults] = useState<{ amount?: string; account?: string }>({})
  useEffect(() => {
    if (linkedAccount !== undefined) setChosen(linkedAccount)
  }, [linkedAccount])

  const account =
    accounts.find(({ id, currency: held }) => id === chosen && held === currency) ??
    usualBankAccount(accounts, currency)
  const { state, send, clear } = useWithdrawalOrder((ordered, order) => {
    const target = accounts.find(({ id }) => id === order.bankAccountId)
    if (target) onOrdered(ordered, order, target)
  })

  const amount = typedAmount(currency, text, largestMinor)
  const balance = parseDecimal(currency, wallet.fiat_balance)
  const isBeyond = amount.status === 'right' && compare({ currency, minor: amount.minor }, balance) > 0
  const insufficient = withdrawals.insufficient(formatExactWithSign(wallet.fiat_balance, currency))

  function change(step: () => void): void {
    step()
    setFaults({})
    clear()
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (state.status === 'sending') return
    if (state.status === 'unknown') return send(state.order)
    if (amount.status !== 'right' || isBeyond) {
      document.getElementById(amountId)?.focus()
      return setFaults({ amount: isBeyond ? insufficient : withdrawals.enterAmount })
    }
    if (!account) return setFaults({ account: texts.selectAccount })
    send({ amount: toDecimal({ currency, minor: amount.minor }), currency, bankAccountId: account.id, userId })
  }

  return {
    text,
    currency,
    account,
    amount,
    balance,
    state,
    isLocked: state.status === 'unknown' || state.status === 'sending',
    faults: {
      account: faults.account,
      amount: isBeyond || state.status === 'beyond' ? insufficient : faults.amount,
    },
    /** The balance does not carry the amount, as the fault of the amount says. */
    isBeyond: isBeyond || state.status === 'beyond',
    /** The amount is one that could be withdrawn now. */
    isPossible: amount.status === 'right' && !isBeyond,
    type: (next: string) => change(() => setText(next)),
    takeAll: () => change(() => setText(wallet.fiat_balance)),
    choose: (id: string) => change(() => setChosen(id)),
    leaveDraft: () => keepDraft('withdraw', { userId, amount: text }),
    submit,
  }
}

export type WithdrawalModel = ReturnType<typeof useWithdrawal>
