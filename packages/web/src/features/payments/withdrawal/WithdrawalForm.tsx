import { useQuery } from '@tanstack/react-query'
import { withdrawalEstimate } from '@tern/contract/banking'
import { subtract, toDecimal } from '@tern/money/money'
import { Link } from 'react-router'
import { withdrawals } from '#messages/withdrawals.ts'
import { pathIfPresent } from '../../../app/paths.ts'
import { callApi } from '../../../app/session/session.ts'
import { useBankLink } from '../../../app/instruments/use-bank-link.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { formatExact, formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { formatDay } from '../../../ui/format/format-day.ts'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { BankAccountList } from '../../../app/instruments/PaymentMethodList.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { accountName } from '../methods/method-names.ts'
import { amountId, useWithdrawal, type WithdrawalModel, type WithdrawalProps } from './use-withdrawal.ts'

/** How much, and to which account; beside it what arrives there, and when. */
export function WithdrawalForm(props: WithdrawalProps) {
  const { wallet, accounts } = props
  const model = useWithdrawal(props)
  const { currency, state } = model
  const { link, isLeaving, problem } = useBankLink('withdraw', model.leaveDraft)
  const balance = formatExactWithSign(wallet.fiat_balance, currency)
  return (
    <form className="form-beside" noValidate onSubmit={model.submit}>
      <div className="grid gap-6">
        <fieldset className="grid gap-6" disabled={model.isLocked}>
          <MoneyField
            id={amountId}
            label={withdrawals.amount}
            currency={currency}
            value={model.text}
            onValueChange={model.type}
            error={model.errors.amount}
            action={
              <Button look="ghost" aria-label={withdrawals.allOf(balance)} onClick={model.takeAll}>
                {withdrawals.all}
              </Button>
            }
            hint={model.isBeyond ? undefined : <span className="tabular">{withdrawals.balance(balance)}</span>}
          />
          <BankAccountList
            accounts={accounts}
            currency={currency}
            chosen={model.account?.id}
            onChoose={model.choose}
            onLink={link}
            isLinking={isLeaving}
            error={problem ?? model.errors.account}
          />
        </fieldset>
        <OrderNote model={model} />
      </div>
      <aside>
        <Review model={model} />
      </aside>
      <div className="form-actions">
        <Button look="primary" big type="submit" icon="bank" processing={state.status === 'sending'}>
          {state.status === 'unknown' ? withdrawals.again : withdrawals.withdraw}
        </Button>
      </div>
    </form>
  )
}

/** What arrives, where and when, as far as it is known. */
function Review({ model }: { model: WithdrawalModel }) {
  const { amount, balance, currency, account, isPossible } = model
  const accountId = account?.id
  const { data: estimate } = useQuery({
    queryKey: ['withdrawal-estimate', accountId],
    queryFn: ({ signal }) => callApi(withdrawalEstimate, { query: { bankAccountId: accountId ?? '' } }, signal),
    enabled: accountId !== undefined,
  })
  const minor = amount.status === 'right' ? amount.minor : 0n
  const left = isPossible ? subtract(balance, { currency, minor }) : balance
  return (
    <Sheet scaleBar>
      <div className="p-6">
        <p className="small muted">{withdrawals.youGet}</p>
        <p className={isPossible ? 'balance balance-small' : 'balance balance-small faint'}>
          {formatExactWithSign(toDecimal({ currency, minor }), currency)}
        </p>
        <div className="mt-4">
          <DefinitionList
            small
            entries={[
              account && { term: withdrawals.to, value: accountName(account) },
              { term: withdrawals.fee, value: withdrawals.noFee },
              {
                term: withdrawals.arrivesBy,
                value: estimate ? formatDay(estimate.expected_on) : withdrawals.dateOpen,
              },
              { term: withdrawals.left, value: formatExact(toDecimal(left), currency), sum: true },
            ]}
          />
        </div>
        <p className="small muted mt-4">{withdrawals.debitedAtOnce}</p>
      </div>
    </Sheet>
  )
}

function OrderNote({ model: { state } }: { model: WithdrawalModel }) {
  const listPath = pathIfPresent('transactions')
  if (state.status === 'sending' && state.isRetry) return <Note live>{withdrawals.retrying}</Note>
  if (state.status === 'unconfirmed') return <Note live>{withdrawals.unconfirmed}</Note>
  if (state.status === 'failed') {
    return (
      <Note tone="error">
        <b>{state.sentence}</b> {state.detail}
      </Note>
    )
  }
  if (state.status !== 'unknown') return null
  return (
    <Note tone="error">
      <b>{withdrawals.failed}</b> {withdrawals.unknownOutcome}{' '}
      {listPath && <Link to={listPath}>{withdrawals.seeTransactions}</Link>}
    </Note>
  )
}
