import type { Quote } from '@tern/contract/exchange'
import type { Wallet } from '@tern/contract/wallets'
import { pay } from '#messages/transfers/requests.ts'
import { BankAccountChoice } from '../../../../app/instruments/BankAccountChoice.tsx'
import { accountName, cardName } from '../../../../app/instruments/payment-methods.ts'
import { CardList, PaymentMethodsPlaceholder } from '../../../../app/instruments/PaymentMethodList.tsx'
import { RadioList } from '../../../../ui/forms/RadioList.tsx'
import { formatExact } from '../../../../ui/money/exact-amount.ts'
import {
  findBankAccount,
  type Blocker,
  findCard,
  needsCard,
  computeCardAmount,
  type PaymentWay,
  listPaymentWays,
} from './ways-to-pay.ts'
import type { PayModel } from './use-pay.ts'

interface PayWaysProps {
  model: PayModel
  quote: Quote
  wallet: Wallet
}

/** Ways to pay a request: wallet, card, bank account, or wallet and card, each with its duration. */
export function PayWays({ model, quote, wallet }: PayWaysProps) {
  const { funding, setFunding, paymentWay, state, methods } = model
  const isFixed = state.status === 'sending' || state.status === 'unknown'
  const choices = listPaymentWays(quote, wallet).map(({ way: value, blocker }) => ({
    value,
    label: (
      <span className="block">
        {pay.sources[value]}
        <small className="block text-fine text-ink-2">{describeLine(value, blocker, quote)}</small>
      </span>
    ),
    end: describePayer(value, model, quote, wallet),
    disabled: isFixed ? value !== paymentWay : blocker !== undefined,
  }))
  return (
    <div className="mt-4 grid gap-4">
      <RadioList
        legend={pay.payWith}
        choices={choices}
        value={paymentWay ?? 'wallet'}
        onChange={(chosen) => setFunding({ ...funding, way: chosen })}
      />
      {paymentWay && paymentWay !== 'wallet' && !isFixed && (
        <Instruments model={model} way={paymentWay} wallet={wallet} />
      )}
      {paymentWay && paymentWay !== 'wallet' && !methods.data && (
        <PaymentMethodsPlaceholder onRetry={methods.isError ? () => void methods.refetch() : undefined} />
      )}
    </div>
  )
}

function describeLine(way: PaymentWay, blocker: Blocker | undefined, quote: Quote): string {
  if (blocker === 'balance') return pay.balanceTooLow
  if (blocker === 'other_currency') return pay.bankOnlyIn(quote.source_currency)
  return way === 'bank' ? pay.inDays : pay.inSeconds
}

/** Detail in the row of a payment method: the balance, the amount charged to the card, or the card or account. */
function describePayer(
  way: PaymentWay,
  { methods, funding }: PayModel,
  quote: Quote,
  wallet: Wallet,
): string | undefined {
  if (way === 'wallet') return formatExact(wallet.fiat_balance, wallet.base_currency)
  if (way === 'wallet_partial')
    return pay.restByCard(formatExact(computeCardAmount(quote, wallet), wallet.base_currency))
  if (!methods.data) return undefined
  if (way === 'bank') {
    const account = findBankAccount(funding, methods.data, wallet)
    return account && accountName(account)
  }
  const card = findCard(funding, methods.data, new Date())
  return card ? cardName(card) : pay.newCard
}

function Instruments({ model, way, wallet }: { model: PayModel; way: PaymentWay; wallet: Wallet }) {
  const { funding, setFunding, methods } = model
  if (!methods.data) return null
  if (needsCard(way)) {
    return (
      <CardList
        cards={methods.data.cards}
        chosen={findCard(funding, methods.data, new Date())?.id}
        onChoose={(id) => setFunding({ ...funding, cardId: id ?? null })}
        keepsCard={methods.data.saves_cards ? funding.keepsCard : undefined}
        onKeep={(keepsCard) => setFunding({ ...funding, keepsCard })}
      />
    )
  }
  return (
    <BankAccountChoice
      returnTo="settings"
      beforeRedirect={() => undefined}
      accounts={methods.data.bank_accounts}
      currency={wallet.base_currency}
      chosen={findBankAccount(funding, methods.data, wallet)?.id}
      onChoose={(bankAccountId) => setFunding({ ...funding, bankAccountId })}
    />
  )
}
