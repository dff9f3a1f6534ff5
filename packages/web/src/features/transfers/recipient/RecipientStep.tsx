import { cryptoCodes, type CryptoCode } from '@tern/money/currency'
import { Link } from 'react-router'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import { pathIfPresent } from '../../../app/paths.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { SelectField } from '../../../ui/forms/SelectField.tsx'
import { Switch } from '../../../ui/forms/Switch.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { RecipientField } from './RecipientField.tsx'
import { balanceOf, type SendForm, shortNameOf, targetOf } from '../send-form.ts'
import { SendPrice } from '../review/SendPrice.tsx'
import { fieldIds, type RecipientStepProps, useRecipientForm } from './use-recipient-form.ts'

const cryptoChoices = cryptoCodes.map((code) => ({
  value: code,
  label: transfers.cryptoChoice(transfers.currencyNames[code], code),
}))

/** Who gets how much, in what, with the price of it beside. */
export function RecipientStep(props: RecipientStepProps) {
  const { wallet, form, onBack } = props
  const asked = useRecipientForm(props)
  const { lookup, live, errors, problem, isChecking, isBeyond, change, submit } = asked
  const source = form.source ?? wallet.base_currency
  return (
    <form className="form-beside" noValidate onSubmit={submit}>
      <div className="grid gap-6">
        <RecipientField
          id={fieldIds.recipient}
          text={form.recipientText}
          recipient={lookup.isOwn ? undefined : form.recipient}
          arrivesIn={targetOf(form)}
          error={errors.recipient}
          onText={(recipientText) => change({ recipientText, recipient: undefined }, 'recipient')}
          onChoose={(recipient) =>
            change({ recipientText: recipient.email ?? recipient.username, recipient }, 'recipient')
          }
          onLeave={lookup.begin}
        />
        <div className="grid gap-3">
          <MoneyField
            id={fieldIds.amount}
            label={transfers.amount}
            currency={source}
            value={form.amount}
            onValueChange={(amount) => change({ amount }, 'amount')}
            error={errors.amount ?? (isBeyond ? transfers.insufficient : undefined)}
            hint={<BalanceHint amount={formatExactWithSign(balanceOf(wallet, source), source)} offersMore={isBeyond} />}
          />
          {asked.mayPayOutside && (
            <Button icon="card" className="justify-self-start" onClick={asked.payOutside}>
              {transfers.payOutside}
            </Button>
          )}
        </div>
        <CryptoChoice
          isCrypto={form.isCrypto}
          currency={form.cryptoCurrency}
          error={errors.cryptoCurrency}
          onChange={(changed) => change(changed, 'cryptoCurrency')}
        />
        <TextField
          id="send-description"
          label={transfers.description}
          optional
          hint={transfers.descriptionHint}
          maxLength={200}
          autoComplete="off"
          value={form.description}
          onChange={(event) => change({ description: event.target.value })}
        />
        {problem && <Note tone="error">{problem}</Note>}
      </div>
      <aside>
        <SendPrice live={live} heading={prices.gets(form.recipient ? shortNameOf(form.recipient) : '')} />
      </aside>
      <div className="form-actions">
        <Button big onClick={onBack}>
          {transfers.back}
        </Button>
        <Button look="primary" big type="submit" processing={isChecking}>
          {transfers.next}
        </Button>
      </div>
    </form>
  )
}

function BalanceHint({ amount, offersMore }: { amount: string; offersMore: boolean }) {
  const depositPath = pathIfPresent('deposit')
  return (
    <span className="tabular">
      {transfers.balance(amount)}
      {offersMore && depositPath && (
        <>
          {' · '}
          <Link to={depositPath}>{transfers.addFunds}</Link>
        </>
      )}
    </span>
  )
}

interface CryptoChoiceProps {
  isCrypto: boolean
  currency: CryptoCode | ''
  error: string | undefined
  onChange: (changed: Partial<Pick<SendForm, 'isCrypto' | 'cryptoCurrency'>>) => void
}

function CryptoChoice({ isCrypto, currency, error, onChange }: CryptoChoiceProps) {
  return (
    <div className="grid gap-3">
      <Switch checked={isCrypto} onChange={(event) => onChange({ isCrypto: event.target.checked })}>
        {transfers.sendAsCrypto}
      </Switch>
      {isCrypto && (
        <SelectField
          id={fieldIds.cryptoCurrency}
          label={transfers.cryptocurrency}
          hint={transfers.cryptoHint}
          error={error}
          choices={cryptoChoices}
          value={currency}
          onChange={(event) => onChange({ cryptoCurrency: event.target.value as CryptoCode })}
        />
      )}
    </div>
  )
}
