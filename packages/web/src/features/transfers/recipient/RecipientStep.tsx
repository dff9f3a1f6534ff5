import { cryptoCodes } from '@tern/money/currency'
import { Link } from 'react-router'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import { Form } from '../../../app/forms/Form.tsx'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { SelectField } from '../../../ui/forms/SelectField.tsx'
import { Switch } from '../../../ui/forms/Switch.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { PriceBar } from './PriceBar.tsx'
import { RecipientField } from '../../../app/recipient/RecipientField.tsx'
import { SendRoute } from './SendRoute.tsx'
import { balanceOf, shortNameOf, targetOf, typedIn } from '../send-form.ts'
import { SendPrice } from '../review/SendPrice.tsx'
import { type RecipientForm, type RecipientStepProps, useRecipientForm } from './use-recipient-form.ts'

const cryptoChoices = cryptoCodes.map((code) => ({
  value: code,
  label: transfers.cryptoChoice(transfers.currencyNames[code], code),
}))

/** Who gets how much, in what, with the price of it beside. */
export function RecipientStep(props: RecipientStepProps) {
  const { user, wallet, onBack, draft } = props
  const step = useRecipientForm(props)
  const { live, errors, change } = step
  const name = draft.values.recipient && shortNameOf(draft.values.recipient)
  return (
    <Form className="form-beside" submitCount={step.submitCount} onSubmit={step.submit}>
      <div className="grid gap-6">
        <RecipientField
          userId={user.id}
          text={draft.values.recipientText}
          recipient={step.isOwn ? undefined : draft.values.recipient}
          arrivesIn={targetOf(draft.values)}
          error={errors.recipient}
          onText={(recipientText) => change({ recipientText, recipient: undefined })}
          onChoose={(recipient) => change({ recipientText: recipient.email ?? recipient.username, recipient })}
          onLeave={step.lookUp}
        />
        <AmountPart {...{ wallet, draft, step, name }} />
        <CryptoChoice draft={draft} step={step} />
        <TextField
          label={transfers.description}
          optional
          hint={transfers.descriptionHint}
          maxLength={200}
          autoComplete="off"
          error={errors.description}
          {...draft.form.register('description')}
        />
        {errors.form && <Note tone="error">{errors.form}</Note>}
      </div>
      <aside className="grid gap-6">
        <SendRoute recipient={step.isOwn ? undefined : draft.values.recipient} />
        <SendPrice live={live} heading={prices.gets(name ?? '')} />
      </aside>
      <PriceBar live={live} name={name} />
      <div className="form-actions">
        <Button big onClick={onBack}>
          {transfers.back}
        </Button>
        <Button look="primary" big type="submit" processing={step.isChecking}>
          {transfers.next}
        </Button>
      </div>
    </Form>
  )
}

interface AmountPartProps extends Pick<RecipientStepProps, 'wallet' | 'draft'> {
  step: RecipientForm
  /** What the recipient is called, once one is chosen. */
  name: string | undefined
}

/** How much is sent or, the other way round, what the recipient gets to the last unit. */
function AmountPart({ wallet, draft, step, name }: AmountPartProps) {
  const { values } = draft
  const source = values.source ?? wallet.base_currency
  const balance = formatExactWithSign(balanceOf(wallet, source), source)
  const { errors, isBeyond, change } = step
  return (
    <div className="grid gap-3">
      <MoneyField
        label={values.isExact && name ? transfers.exactAmount(name) : transfers.amount}
        currency={typedIn(values) ?? source}
        value={values.amount}
        onValueChange={(amount) => change({ amount })}
        error={errors.amount ?? (isBeyond ? transfers.insufficient : undefined)}
        hint={<BalanceHint amount={balance} offersMore={isBeyond} />}
      />
      {name !== undefined && (values.isExact || targetOf(values) !== source) && (
        <Button look="ghost" className="-ms-3 justify-self-start" onClick={step.switchSide}>
          {values.isExact ? transfers.typeSent : transfers.typeReceived(name)}
        </Button>
      )}
      {step.mayPayOutside && (
        <Button icon="card" className="justify-self-start" onClick={step.payOutside}>
          {transfers.payOutside}
        </Button>
      )}
    </div>
  )
}

function CryptoChoice({ draft, step }: Pick<RecipientStepProps, 'draft'> & { step: RecipientForm }) {
  return (
    <div className="grid gap-3">
      <Switch
        checked={draft.values.isCrypto}
        onChange={(event) => step.changeArrival({ isCrypto: event.target.checked })}
      >
        {transfers.sendAsCrypto}
      </Switch>
      {draft.values.isCrypto && (
        <SelectField
          label={transfers.cryptocurrency}
          hint={transfers.cryptoHint}
          error={step.errors.cryptoCurrency}
          placeholder={transfers.chooseCrypto}
          choices={cryptoChoices}
          value={draft.values.cryptoCurrency}
          onChange={(event) =>
            step.changeArrival({ cryptoCurrency: cryptoCodes.find((code) => code === event.target.value) ?? '' })
          }
        />
      )}
    </div>
  )
}

function BalanceHint({ amount, offersMore }: { amount: string; offersMore: boolean }) {
  return (
    <span className="tabular">
      {transfers.balance(amount)}
      {offersMore && (
        <>
          {' · '}
          <Link to={paths.deposit}>{transfers.addMoney}</Link>
        </>
      )}
    </span>
  )
}
