import type { FiatCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import { Link } from 'react-router'
import { payments } from '#messages/payments.ts'
import { pathIfPresent } from '../../../app/paths.ts'
import { useBankLink } from '../../../app/instruments/use-bank-link.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { BankAccountList, CardList, PaymentMethodsAwaited } from '../../../app/instruments/PaymentMethodList.tsx'
import { RadioList } from '../../../ui/forms/RadioList.tsx'
import { DepositPrice } from './DepositPrice.tsx'
import { amountId, type DepositModel, type DepositProps, useDeposit } from './use-deposit.ts'

const methodChoices = [
  { value: 'card', icon: 'card', label: payments.card, hint: payments.cardHint },
  { value: 'bank', icon: 'bank', label: payments.bank, hint: payments.bankHint },
] as const

/** How much, in what, and from where; beside it the whole price. A card number is never typed here. */
export function DepositForm(props: DepositProps) {
  const { wallet } = props
  const model = useDeposit(props)
  const { state } = model
  return (
    <form className="form-beside" noValidate onSubmit={model.submit}>
      <div className="grid gap-6">
        <fieldset className="grid gap-6" disabled={model.isLocked}>
          <MoneyField
            id={amountId}
            label={payments.amount}
            currency={model.currency}
            currencies={model.currencies}
            onCurrencyChange={(next) => model.chooseCurrency(next as FiatCode)}
            value={model.text}
            onValueChange={model.type}
            error={model.errors.amount}
            hint={
              <span className="tabular">
                {payments.balance(formatExactWithSign(wallet.fiat_balance, wallet.base_currency))}
              </span>
            }
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
            onChange={model.chooseMethod}
          />
          {model.method === 'card' ? <Cards {...props} model={model} /> : <Accounts {...props} model={model} />}
        </fieldset>
        {model.errors.form && <Note live>{model.errors.form}</Note>}
        <OrderNote model={model} />
      </div>
      <aside>
        <DepositPrice model={model} wallet={wallet} />
      </aside>
      <div className="form-actions">
        <Button
          look="primary"
          big
          type="submit"
          icon={model.method}
          processing={state.status === 'sending'}
          aria-disabled={model.isAwaited || undefined}
        >
          {actionOf(model)}
        </Button>
      </div>
    </form>
  )
}

/** What the button does, in words; a saved card is charged at once, so it says how much. */
function actionOf({ state, method, cardId, amount, currency, live, isConverted }: DepositModel): string {
  if (state.status === 'unknown') return payments.again
  if (method === 'bank') return payments.transfer
  if (cardId === undefined || amount.status !== 'right') return payments.continue
  if (!isConverted) return payments.payNow(formatExactWithSign(toDecimal({ currency, minor: amount.minor }), currency))
  return live.status === 'ready'
    ? payments.payNow(formatExactWithSign(live.priced.quote.total, currency))
    : payments.continue
}

type PartProps = Pick<DepositProps, 'methods' | 'onRetry'> & { model: DepositModel }

function Cards({ methods, onRetry, model }: PartProps) {
  return (
    <div className="grid gap-2">
      {!methods && <PaymentMethodsAwaited onRetry={onRetry} />}
      {(methods || onRetry) && (
        <CardList
          cards={methods?.cards ?? []}
          chosen={model.cardId}
          onChoose={model.chooseCard}
          isKept={model.isKept}
          onKeep={model.keepCard}
        />
      )}
    </div>
  )
}

function Accounts({ methods, onRetry, model }: PartProps) {
  const { link, isLeaving, problem } = useBankLink('deposit', model.leaveDraft)
  if (!methods) return <PaymentMethodsAwaited onRetry={onRetry} />
  return (
    <BankAccountList
      accounts={methods.bank_accounts}
      currency={model.currency}
      chosen={model.account?.id}
      onChoose={model.chooseAccount}
      onLink={link}
      isLinking={isLeaving}
      error={problem ?? model.errors.account}
    />
  )
}

function OrderNote({ model: { state } }: { model: DepositModel }) {
  const listPath = pathIfPresent('transactions')
  if (state.status === 'sending' && state.isRetry) return <Note live>{payments.retrying}</Note>
  if (state.status === 'renewed') return <Note live>{payments.priceRenewed}</Note>
  if (state.status === 'failed') return <Note tone="error">{state.message}</Note>
  if (state.status !== 'unknown') return null
  return (
    <Note tone="error">
      <b>{payments.failed}</b> {payments.unknownOutcome}{' '}
      {listPath && <Link to={listPath}>{payments.seeTransactions}</Link>}
    </Note>
  )
}
