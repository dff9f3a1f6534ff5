import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { toDecimal } from '@tern/money/money'
import { payments } from '#messages/payments.ts'
import { Button } from '../../ui/Button.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { formatExact, formatExactWithSign } from '../../ui/exact-amount.ts'
import { Icon } from '../../ui/Icon.tsx'
import { MoneyField } from '../../ui/MoneyField.tsx'
import { Note } from '../../ui/Note.tsx'
import { RadioList } from '../../ui/RadioList.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import type { DepositAmount } from './deposit-amount.ts'
import { useCardDeposit } from './use-card-deposit.ts'

/** How much, then off to the provider's page: the card number is never typed here. */
export function DepositForm({ user, wallet }: { user: CurrentUser; wallet: Wallet }) {
  const currency = wallet.base_currency
  const { text, amount, fault, problem, isLeaving, type, submit } = useCardDeposit(user.id, currency)
  return (
    <form className="form-beside" noValidate onSubmit={submit}>
      <div className="grid gap-6">
        <MoneyField
          label={payments.amount}
          currency={currency}
          value={text}
          onValueChange={type}
          error={fault}
          hint={<span className="tabular">{payments.balance(formatExactWithSign(wallet.fiat_balance, currency))}</span>}
        />
        <RadioList
          legend={payments.method}
          choices={[
            {
              value: 'card',
              label: (
                <span className="row">
                  <Icon name="card" />
                  {payments.card}
                </span>
              ),
              end: payments.cardHint,
            },
          ]}
          value="card"
          onChange={() => undefined}
        />
        {problem && <Note tone="error">{problem}</Note>}
      </div>
      <aside>
        <Arrival amount={amount} wallet={wallet} />
      </aside>
      <div className="form-actions">
        <Button look="primary" big type="submit" icon="card" processing={isLeaving}>
          {payments.continue}
        </Button>
      </div>
    </form>
  )
}

/** What arrives, what it costs, and how it goes. */
function Arrival({ amount, wallet }: { amount: DepositAmount; wallet: Wallet }) {
  const currency = wallet.base_currency
  const decimal = toDecimal({ currency, minor: amount.status === 'right' ? amount.minor : 0n })
  return (
    <Sheet scaleBar>
      <div className="p-6">
        <p className="small muted">{payments.yourWalletGets}</p>
        <p className={amount.status === 'right' ? 'balance balance-small' : 'balance balance-small faint'}>
          {formatExactWithSign(decimal, currency)}
        </p>
        <div className="mt-4">
          <DefinitionList
            small
            entries={[
              { term: payments.fee, value: payments.noFee },
              { term: payments.youPay, value: formatExact(decimal, currency), sum: true },
            ]}
          />
        </div>
        <h2 className="field-label mt-6">{payments.how}</h2>
        <ol className="timeline">
          {payments.steps.map((step) => (
            <li key={step}>
              <span className="muted">{step}</span>
            </li>
          ))}
        </ol>
      </div>
    </Sheet>
  )
}
