import '../../../css/flow-form.css'
import type { Quote } from '@tern/contract/exchange'
import type { PublicUser } from '@tern/contract/identity'
import { cryptoCodes } from '@tern/money/currency'
import { type FocusEvent, useRef, useState } from 'react'
import { Link } from 'react-router'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import { bar } from '#messages/transfers/bar.ts'
import { useAfterPress } from '../../../app/use-after-press.ts'
import { Form } from '../../../app/forms/Form.tsx'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { SelectField } from '../../../ui/forms/SelectField.tsx'
import { Switch } from '../../../ui/forms/Switch.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import type { LiveQuote } from '../../../app/orders/quotes.ts'
import { RecipientField } from '../../../app/recipient/RecipientField.tsx'
import { SendRoute } from '../SendRoute.tsx'
import { SendActions } from '../SendActions.tsx'
import { recipientBar } from '../send-bar.ts'
import { findBalance, parseMoney, shortenName, chooseTarget, inputCurrency } from '../send-form.ts'
import { SendPrice } from '../review/SendPrice.tsx'
import { type RecipientForm, type RecipientStepProps, useRecipientForm } from './use-recipient-form.ts'

const cryptoChoices = cryptoCodes.map((code) => ({
  value: code,
  label: transfers.cryptoChoice(transfers.currencyNames[code], code),
}))

/** Recipient, amount and currency of a transfer, beside its price. */
export function RecipientStep(props: RecipientStepProps) {
  const { user, wallet, onBack, draft } = props
  const step = useRecipientForm(props)
  const { live, errors, change } = step
  const recipient = step.isOwn ? undefined : draft.values.recipient
  const name = draft.values.recipient && shortenName(draft.values.recipient)
  const { isTyping, ...typingProps } = useTyping()
  const state = useBar(props, step, recipient)
  const isPriced = live.priced !== undefined
  return (
    <Form className="form-beside flow-form" submitCount={step.submitCount} onSubmit={step.submit} {...typingProps}>
      <div className="flow-fields">
        <div className="flow-first">
          <RecipientField
            userId={user.id}
            text={draft.values.recipientText}
            recipient={recipient}
            currency={chooseTarget(draft.values)}
            error={errors.recipient}
            onTextChange={(recipientText) => change({ recipientText, recipient: undefined })}
            onChoose={(chosen) => change({ recipientText: chosen.email ?? chosen.username, recipient: chosen })}
            onLeave={step.lookUp}
          />
          <AmountPart {...{ wallet, draft, step, name }} />
        </div>
        <DetailFields draft={draft} step={step} />
      </div>
      <aside className="flow-aside">
        <SendRoute recipient={recipient} isPriced={isPriced} isShort={!isPriced || isTyping} />
        <SendPrice live={live} heading={prices.gets(name ?? '')} />
      </aside>
      <SendActions state={state}>
        <Button className="wide-only" big onClick={onBack}>
          {transfers.back}
        </Button>
        {state.action === 'retry' ? (
          <Button look="primary" big onClick={live.failure?.retry}>
            {bar.tryAgain}
          </Button>
        ) : (
          <Button look="primary" big type="submit" processing={step.isChecking}>
            {transfers.next}
          </Button>
        )}
      </SendActions>
    </Form>
  )
}

function useBar({ user, wallet, draft: { values } }: RecipientStepProps, step: RecipientForm, recipient?: PublicUser) {
  const source = values.source ?? wallet.base_currency
  return recipientBar({
    isFrozen: user.frozen_at !== null,
    name: recipient && shortenName(recipient),
    hasAmount: parseMoney(values) !== undefined,
    isCryptoMissing: values.isCrypto && !values.cryptoCurrency,
    source,
    balance: findBalance(wallet, source),
    shortfall: step.shortfall,
    rest: step.rest,
    live: step.live,
    lastQuote: useLastQuote(step.live, recipient?.id),
  })
}

/** Last price shown for this recipient. */
function useLastQuote(live: LiveQuote, recipientId: number | undefined): Quote | undefined {
  const lastQuote = useRef<Quote>(undefined)
  if (live.priced) lastQuote.current = live.priced.quote
  return lastQuote.current?.recipient_id === recipientId ? lastQuote.current : undefined
}

/**
 * Tracks whether a text field has the focus, in which case a phone's keyboard may be open. The press that moves the
 * focus is handled first.
 */
function useTyping() {
  const afterPress = useAfterPress()
  const [isTyping, setIsTyping] = useState(false)
  return {
    isTyping,
    onFocus: ({ target }: FocusEvent) => setIsTyping(target.matches('input:not([type=checkbox])')),
    onBlur: () => afterPress(() => setIsTyping(document.activeElement?.matches('input:not([type=checkbox])') ?? false)),
  }
}

interface AmountPartProps extends Pick<RecipientStepProps, 'wallet' | 'draft'> {
  step: RecipientForm
  name: string | undefined
}

/** Amount sent or, reversed, the exact amount received. */
function AmountPart({ wallet, draft, step, name }: AmountPartProps) {
  const { values } = draft
  const source = values.source ?? wallet.base_currency
  const balance = formatExact(findBalance(wallet, source), source)
  const { errors, exceedsBalance, change } = step
  return (
    <div className="grid gap-3">
      <MoneyField
        label={values.isExact && name ? transfers.exactAmount(name) : transfers.amount}
        currency={inputCurrency(values) ?? source}
        value={values.amount}
        onValueChange={(amount) => change({ amount })}
        error={errors.amount}
        aside={transfers.balance(balance)}
        hint={exceedsBalance && <Link to={paths.deposit}>{transfers.addMoney}</Link>}
        enterKeyHint="next"
      />
      {name !== undefined && (values.isExact || chooseTarget(values) !== source) && (
        <Button look="ghost" className="-ms-3 justify-self-start" onClick={step.switchSide}>
          {values.isExact ? transfers.typeSent : transfers.typeReceived(name)}
        </Button>
      )}
      {step.rest && (
        <Button icon="card" className="justify-self-start" onClick={step.payOutside}>
          {transfers.payOutside}
        </Button>
      )}
    </div>
  )
}

/** Currency received, and description. */
function DetailFields({ draft, step }: Pick<RecipientStepProps, 'draft'> & { step: RecipientForm }) {
  const { errors } = step
  return (
    <div className="flow-more">
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
