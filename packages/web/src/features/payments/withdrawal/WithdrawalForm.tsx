import type { Wallet } from '@tern/contract/wallets'
import { isPositive, parseDecimal, subtract, toDecimal, zero } from '@tern/money/money'
import { Suspense } from 'react'
import { withdrawals } from '#messages/withdrawals.ts'
import { OrderForm } from '../../../app/OrderForm.tsx'
import { accountName } from '../../../app/instruments/payment-methods.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Figure } from '../../../ui/money/Figure.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { formatDay } from '../../../ui/format/format-day.ts'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { BankAccountList } from '../../../app/instruments/PaymentMethodList.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { withdrawalBar } from './withdrawal-bar.ts'
import { feeText, useWithdrawal, type WithdrawalModel, type WithdrawalProps } from './use-withdrawal.ts'

// Loaded lazily: most accounts are in their user's name.
const PayeeNote = lazyComponent(() => import('../../../app/instruments/PayeeNote.tsx'), 'PayeeNote')
// Loaded lazily: shown once a fee is due.
const FeeExplanation = lazyComponent(() => import('./FeeExplanation.tsx'), 'FeeExplanation')
// Loaded lazily: most users have no restricted money.
const Restricted = lazyComponent(() => import('../../../app/restricted/Restricted.tsx'), 'Restricted')

/** Amount and account of a withdrawal, beside the arriving amount and its date. */
export function WithdrawalForm(props: WithdrawalProps) {
  const { wallet, accounts } = props
  const model = useWithdrawal(props)
  const { currency, account, maximum, bank, payee } = model
  const balance = formatExact(wallet.fiat_balance, currency)
  const available = formatExact(toDecimal(maximum), currency)
  const needsLink = !account && model.state.status !== 'unknown'
  return (
    <OrderForm
      form={model}
      action={needsLink ? withdrawals.linkBank : withdrawals.withdraw}
      again={withdrawals.again}
      isRedirecting={needsLink && bank.isRedirecting}
      bar={withdrawalBar({ ...model, hasAccount: account !== undefined, expectedOn: model.estimate?.expected_on })}
      texts={withdrawals}
      unknownTitle={withdrawals.failed}
      refused={{
        verb: 'withdraw',
        amount: toDecimal(model.amount ?? zero(currency)),
        currency,
        onReduce: (amount) => model.set('amount', amount),
      }}
      aside={<Review model={model} wallet={wallet} />}
    >
      <MoneyField
        label={withdrawals.amount}
        currency={currency}
        value={model.text}
        onValueChange={(amount) => model.set('amount', amount)}
        error={model.amountError}
        action={
          <Button
            look="ghost"
            aria-label={withdrawals.maximum(available)}
            onClick={() => model.set('amount', toDecimal(maximum))}
          >
            {withdrawals.all}
          </Button>
        }
        hint={
          model.exceedsBalance ? undefined : (
            <span className="tabular">
              {withdrawals.balance(balance)}
              {model.restrictedParts.length > 0 && <>. {withdrawals.nowToBank(available)}</>}
            </span>
          )
        }
      />
      <BankAccountList
        accounts={accounts}
        currency={currency}
        chosen={account?.id}
        onChoose={(id) => model.set('accountId', id)}
        onLink={needsLink ? undefined : bank.link}
        isLinking={bank.isRedirecting}
        error={bank.problem}
      />
      {payee && payee.result !== 'match' && (
        <Suspense>
          <PayeeNote
            payee={payee}
            acceptance={{
              isAccepted: model.isPayeeAccepted,
              onChange: (isAccepted) => model.set('acceptedPayee', (isAccepted && payee.id) || undefined),
              isMissing: model.fieldError('acceptedPayee') !== undefined,
            }}
          />
        </Suspense>
      )}
    </OrderForm>
  )
}

/** Amount, account and date of arrival, as far as known. */
function Review({ model, wallet }: { model: WithdrawalModel; wallet: Wallet }) {
  const { currency, account, isPossible, estimate, fee, total, restrictedParts } = model
  const amount = (isPossible && model.amount) || zero(currency)
  const balance = parseDecimal(currency, wallet.fiat_balance)
  const remaining = isPossible && total ? subtract(balance, total) : balance
  return (
    <Sheet scaleBar>
      <Figure
        caption={withdrawals.youGet}
        amount={formatExact(toDecimal(amount), currency)}
        isFaint={!isPossible}
        entries={[
          account && { term: withdrawals.to, value: accountName(account) },
          estimate && isPossible && { term: withdrawals.fee, value: fee ? feeText(fee) : withdrawals.noFee },
          estimate
            ? { term: withdrawals.arrivesBy, value: formatDay(estimate.expected_on) }
            : { term: withdrawals.arrivesIn, value: withdrawals.dateOpen },
          { term: withdrawals.left, value: formatExact(toDecimal(remaining), currency), sum: true },
        ]}
      >
        {restrictedParts.length > 0 && (
          <Suspense>
            <Restricted parts={restrictedParts} currency={currency} />
          </Suspense>
        )}
        {estimate && fee && isPossible && isPositive(fee) && (
          <Suspense>
            <FeeExplanation estimate={estimate} currency={currency} />
          </Suspense>
        )}
        <p className="small muted mt-4">{withdrawals.debitedAtOnce}</p>
      </Figure>
    </Sheet>
  )
}
