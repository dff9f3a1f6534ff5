import type { FiatCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import { Suspense } from 'react'
import { payments } from '#messages/payments.ts'
import { OrderForm } from '../../../app/OrderForm.tsx'
import { BankAccountChoice } from '../../../app/instruments/BankAccountChoice.tsx'
import { CardList, PaymentMethodsPlaceholder } from '../../../app/instruments/PaymentMethodList.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { RadioList } from '../../../ui/forms/RadioList.tsx'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { depositBar } from './deposit-bar.ts'
import { DepositPrice } from './DepositPrice.tsx'
import { type DepositModel, type DepositProps, useDeposit } from './use-deposit.ts'

// Loaded lazily: shown once the terms are loaded.
const MaturityNote = lazyComponent(() => import('./MaturityNote.tsx'), 'MaturityNote')

const methodChoices = [
  { value: 'card', icon: 'card', label: payments.card, hint: payments.cardHint },
  { value: 'bank', icon: 'bank', label: payments.bank, hint: payments.bankHint },
] as const

/**
 * Amount, currency and source of a deposit, beside its full price. Card numbers are entered only on the provider's
 * page.
 */
export function DepositForm(props: DepositProps) {
  const { wallet } = props
  const model = useDeposit(props)
  const { set, errors } = model
  const balance = formatExact(wallet.fiat_balance, wallet.base_currency)
  return (
    <OrderForm
      form={model}
      action={describeAction(model)}
      bar={depositBar({ ...model, lacksAccount: model.method === 'bank' && !model.account })}
      again={payments.again}
      isAwaited={model.isAwaited}
      texts={payments}
      unknownTitle={payments.failed}
      refused={{
        verb: 'add',
        amount: model.amount,
        currency: model.currency,
        onReduce: (amount) => set('amount', amount),
      }}
      aside={<DepositPrice model={model} wallet={wallet} />}
      footer={errors.form && <Note live>{errors.form}</Note>}
    >
      <MoneyField
        label={payments.amount}
        currency={model.currency}
        currencies={model.currencies}
        onCurrencyChange={(next) => set('currency', next as FiatCode)}
        value={model.amount}
        onValueChange={(amount) => set('amount', amount)}
        error={errors.amount}
        hint={<span className="tabular">{payments.balance(balance)}</span>}
      />
      <RadioList
        legend={payments.method}
        choices={methodChoices.map(({ value, icon, label, hint }) => ({
          value,
          label: (
            <span className="row">
              <Icon name={icon} />
              {label}
            </span>
          ),
          end: hint,
        }))}
        value={model.method}
        onChange={(method) => set('method', method)}
      />
      <Suspense>
        <MaturityNote model={model} />
      </Suspense>
      <Payer {...props} model={model} />
    </OrderForm>
  )
}

/** Button label. A saved card is charged at once, so the label states the amount. */
function describeAction({ method, cardId, payable, currency, live, isConverted }: DepositModel): string {
  if (method === 'bank') return payments.transfer
  if (cardId === undefined || !payable) return payments.continue
  if (!isConverted) return payments.payNow(formatExact(toDecimal(payable), currency))
  return live.priced ? payments.payNow(formatExact(live.priced.quote.total, currency)) : payments.continue
}

function Payer({ methods, onRetry, model }: Pick<DepositProps, 'methods' | 'onRetry'> & { model: DepositModel }) {
  const placeholder = !methods && <PaymentMethodsPlaceholder onRetry={onRetry} />
  if (model.method === 'card') {
    return (
      <div className="grid gap-2">
        {placeholder}
        {(methods || onRetry) && (
          <CardList
            cards={methods?.cards ?? []}
            chosen={model.cardId}
            onChoose={(id) => model.set('cardId', id ?? null)}
            keepsCard={methods?.saves_cards ? model.keepsCard : undefined}
            onKeep={(keepsCard) => model.set('keepsCard', keepsCard)}
          />
        )}
      </div>
    )
  }
  if (!methods) return placeholder
  return (
    <BankAccountChoice
      returnTo="deposit"
      beforeRedirect={model.storeDraft}
      accounts={methods.bank_accounts}
      currency={model.currency}
      chosen={model.account?.id}
      onChoose={(id) => model.set('accountId', id)}
      error={model.errors.account}
    />
  )
}
