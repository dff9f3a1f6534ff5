import type { paymentMethods } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Wallet } from '@tern/contract/wallets'
import { type FiatCode, isFiatCode } from '@tern/money/currency'
import { useEffect, useState } from 'react'
import { usualBankAccount, usualCard } from '../../../app/instruments/payment-methods.ts'
import { type DepositOrder, typedOf } from './deposit-order.ts'
import { dropDraft, readDraft } from './draft.ts'

type Methods = Reply<typeof paymentMethods>

/** What cards and banks everywhere can pay, beside the wallet's own currency. */
const depositCurrencies: readonly FiatCode[] = ['USD', 'EUR', 'GBP']

const none: Methods = { cards: [], bank_accounts: [] }

export interface WishProps {
  userId: number
  wallet: Wallet
  /** The person's cards and bank accounts; undefined until they are loaded. */
  methods: Methods | undefined
  /** The id of an account that was linked just now. */
  linkedAccount: string | undefined
}

/** By what an order is paid, which stands in the fields as long as it has no answer. */
export function choiceOf(order: DepositOrder, { bank_accounts: accounts }: Methods = none) {
  return order.method === 'card'
    ? { method: order.method, cardId: order.body.paymentMethodId }
    : { method: order.method, account: accounts.find(({ id }) => id === order.body.bankAccountId) }
}

/**
 * What stands in the fields of a deposit: what was chosen, else what is usual, else what was left behind here, first of all
 * an order without an answer.
 */
export function useDepositFields(
  { userId, wallet, methods = none, linkedAccount }: WishProps,
  left: DepositOrder | undefined,
) {
  const base = wallet.base_currency
  const currencies = [...new Set([base, ...depositCurrencies])]
  const [draft] = useState(() => (left ? { ...typedOf(left), method: left.method } : readDraft('deposit', userId)))
  useEffect(() => dropDraft('deposit'), [])
  const [text, setText] = useState(draft?.amount ?? '')
  const [currency, setCurrency] = useState<FiatCode>(
    draft?.currency && isFiatCode(draft.currency) && currencies.includes(draft.currency) ? draft.currency : base,
  )
  // Undefined: nothing was chosen yet, so what was linked just now stands, else what was left.
  const [chosenMethod, setMethod] = useState<'card' | 'bank'>()
  // Undefined: nothing was chosen yet, so the usual one stands; `id` undefined is a new card.
  const [chosenCard, setChosenCard] = useState<{ id: string | undefined } | undefined>(
    left?.method === 'card' ? { id: left.body.paymentMethodId } : undefined,
  )
  const [chosenAccount, setChosenAccount] = useState(left?.method === 'bank' ? left.body.bankAccountId : undefined)
  const [isKept, setIsKept] = useState(false)
  const accounts = methods.bank_accounts
  return {
    fields: {
      text,
      currency,
      currencies,
      method: chosenMethod ?? (linkedAccount === undefined ? (draft?.method ?? 'card') : 'bank'),
      cardId: chosenCard ? chosenCard.id : usualCard(methods.cards, new Date())?.id,
      account:
        accounts.find(({ id, currency: held }) => id === (chosenAccount ?? linkedAccount) && held === currency) ??
        usualBankAccount(accounts, currency),
      isKept,
    },
    set: {
      text: setText,
      currency: setCurrency,
      method: setMethod,
      card: (id: string | undefined) => setChosenCard({ id }),
      account: (id: string) => setChosenAccount(id),
      isKept: setIsKept,
    },
  }
}
