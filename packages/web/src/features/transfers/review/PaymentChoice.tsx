import { useQueryClient } from '@tanstack/react-query'
import type { Wallet } from '@tern/contract/wallets'
import type { Quote } from '@tern/contract/exchange'
import { useRef } from 'react'
import { transfers } from '#messages/transfers.ts'
import { laterPrice } from '#messages/transfers/later-price.ts'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { BankAccountChoice } from '../../../app/instruments/BankAccountChoice.tsx'
import { CardList, PaymentMethodsPlaceholder } from '../../../app/instruments/PaymentMethodList.tsx'
import { parseAmount } from '../../../app/orders/amount.ts'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { RadioList } from '../../../ui/forms/RadioList.tsx'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { isPricedOnArrival, computeMinimum } from './minimum-amount.ts'
import { findBlocker, isAboveBalance, needsCard, paymentSources, splitTotal } from './payment-source.ts'
import { storePending } from '../pending-transfer.ts'
import { findBalance, shortenName } from '../send-form.ts'
import type { ReviewStepProps, useReview } from './use-review.ts'

interface PaymentChoiceProps extends Pick<ReviewStepProps, 'wallet' | 'draft' | 'recipient' | 'priced'> {
  review: ReturnType<typeof useReview>
}

/** Payment method: wallet, card, bank account, or wallet and card, with the choice of instrument. */
export function PaymentChoice(props: PaymentChoiceProps) {
  const { draft, recipient, review } = props
  const { funding, setFunding } = draft
  const { quote } = props.priced
  const { source } = funding
  const isFixed = !review.isSettled
  const wallet = useFrozenWallet(props.wallet, isFixed)
  const isBlocked = findBlocker(source, quote, wallet) !== undefined
  const choices = paymentSources.map((value) => ({
    value,
    label: transfers.sources[value],
    end: value === 'wallet' && formatExact(findBalance(wallet, quote.source_currency), quote.source_currency),
    disabled: isFixed ? value !== source : findBlocker(value, quote, wallet) !== undefined,
  }))
  return (
    <div className="grid gap-5">
      <RadioList
        legend={transfers.paymentMethod}
        choices={choices}
        value={source}
        onChange={(chosen) => setFunding({ ...funding, source: chosen })}
        hint={writeHint(quote, wallet)}
      />
      {(isBlocked || (source === 'wallet' && isAboveBalance(quote, wallet))) && (
        <Note tone={review.error ? 'error' : 'warning'} live>
          {transfers.selectMethod}
        </Note>
      )}
      {source === 'wallet_partial' && !isBlocked && <SplitSums quote={quote} wallet={wallet} />}
      {source !== 'wallet' && !isFixed && <Methods {...props} />}
      {source === 'bank' &&
        (isPricedOnArrival(source, quote) ? (
          <MinimumAmountField {...props} isFixed={isFixed} />
        ) : (
          <Note>{transfers.bankTakesDays(shortenName(recipient))}</Note>
        ))}
    </div>
  )
}

/** Estimated amount received if the price is set when the bank has paid, and the minimum that the sender accepts. */
function MinimumAmountField({ draft, recipient, priced, review, isFixed }: PaymentChoiceProps & { isFixed: boolean }) {
  const { funding, setFunding } = draft
  const { quote } = priced
  const { target_currency: currency } = quote
  const name = shortenName(recipient)
  const least = computeMinimum(funding, quote) ?? ''
  const formatMinimum = (amount: string) => formatExact(amount, currency)
  return (
    <div className="grid gap-4">
      <MoneyField
        label={laterPrice.least(name)}
        currency={currency}
        value={funding.least ?? least}
        onValueChange={(value) => setFunding({ ...funding, least: value })}
        error={review.minimumError}
        readOnly={isFixed}
      />
      <Note>
        <b className="block">
          {laterPrice.aboutAtLeast(
            formatMinimum(quote.target_amount),
            parseAmount(currency, least) && formatMinimum(least),
          )}
        </b>
        {laterPrice.bankPricedLater(name)}
      </Note>
    </div>
  )
}

/** Wallet before the order was sent, so that the order's own debit does not change the split shown. */
function useFrozenWallet(wallet: Wallet, isFixed: boolean): Wallet {
  const frozenWallet = useRef(wallet)
  if (!isFixed) frozenWallet.current = wallet
  return frozenWallet.current
}

function writeHint(quote: Quote, wallet: Wallet): string | undefined {
  const blocker = findBlocker('wallet_partial', quote, wallet)
  if (blocker === 'other_currency') return transfers.onlyFromMainCurrency(wallet.base_currency)
  return blocker === 'balance_is_enough' ? transfers.partialHint : undefined
}

function SplitSums({ quote, wallet }: { quote: Quote; wallet: Wallet }) {
  const { fromWallet, fromCard } = splitTotal(quote, wallet)
  const currency = quote.source_currency
  return (
    <DefinitionList
      small
      entries={[
        { term: transfers.fromBalance, value: formatExact(fromWallet, currency) },
        { term: transfers.fromCard, value: formatExact(fromCard, currency) },
        { term: transfers.together, value: formatExact(quote.total, currency), sum: true },
      ]}
    />
  )
}

function Methods({ draft, priced, review }: PaymentChoiceProps) {
  const queryClient = useQueryClient()
  const { funding, setFunding } = draft
  const { methods, payer, unsentOrder, error } = review
  if (!methods.data)
    return <PaymentMethodsPlaceholder onRetry={methods.isError ? () => void methods.refetch() : undefined} />
  if (needsCard(funding.source)) {
    return (
      <CardList
        cards={methods.data.cards}
        chosen={payer.cardId}
        onChoose={(id) => setFunding({ ...funding, cardId: id ?? null })}
        keepsCard={methods.data.saves_cards ? funding.keepsCard : undefined}
        onKeep={(keepsCard) => setFunding({ ...funding, keepsCard })}
      />
    )
  }
  return (
    <BankAccountChoice
      returnTo="send"
      // The browser leaves for the bank's page; the input is restored on return.
      beforeRedirect={() => {
        storePending(unsentOrder)
        void queryClient.invalidateQueries({ queryKey: paymentMethodsQuery(unsentOrder.userId).queryKey })
      }}
      accounts={methods.data.bank_accounts}
      currency={priced.quote.source_currency}
      chosen={payer.bankAccountId}
      onChoose={(bankAccountId) => setFunding({ ...funding, bankAccountId })}
      error={error}
    />
  )
}
