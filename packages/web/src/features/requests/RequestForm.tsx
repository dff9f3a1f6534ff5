import type { CurrentUser } from '@tern/contract/identity'
import type { PaymentRequest } from '@tern/contract/requests/requests'
import type { FiatCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import { Suspense, useState } from 'react'
import { receive } from '#messages/transfers/requests.ts'
import { Form } from '../../app/forms/Form.tsx'
import { parseAmount } from '../../app/orders/amount.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { ActionBar } from '../../ui/layout/ActionBar.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { type RequestFormModel, useRequestForm } from './use-request-form.ts'

// Loaded lazily: most requests name no payer.
const RequestOptions = lazyComponent(() => import('./RequestOptions.tsx'), 'RequestOptions')

interface RequestFormProps {
  user: CurrentUser
  currency: FiatCode
  onCreated: (request: PaymentRequest) => void
}

export function RequestForm({ user, currency, onCreated }: RequestFormProps) {
  const form = useRequestForm(user, currency, onCreated)
  const [showsOptions, setShowsOptions] = useState(false)
  const { values, set, getError } = form
  const amount = parseAmount(currency, values.amount)
  return (
    <Form className="grid content-start gap-6" submitCount={form.submitCount} onSubmit={() => void form.submit()}>
      <fieldset className="grid gap-6" disabled={form.isBusy}>
        <div className="amount-and-unit">
          <MoneyField
            label={receive.amount}
            currency={currency}
            value={values.amount}
            onValueChange={(next) => set('amount', next)}
            error={getError('amount')}
            hint={amount ? receive.currencyHint(formatExact(toDecimal(amount), currency)) : receive.currencyHintEmpty}
          />
          <TextField label={receive.currency} value={currency} readOnly />
        </div>
        <TextField
          label={receive.description}
          optional
          maxLength={200}
          autoComplete="off"
          value={values.description}
          onChange={(event) => set('description', event.target.value)}
          error={getError('description')}
        />
        <TextField
          label={receive.name}
          optional
          maxLength={80}
          autoComplete="organization"
          value={values.name}
          onChange={(event) => set('name', event.target.value)}
          error={getError('name')}
          hint={receive.nameHint(user.name ?? user.username)}
        />
        <div>
          <button
            type="button"
            className="button button-ghost -ms-3"
            aria-expanded={showsOptions}
            onClick={() => setShowsOptions(!showsOptions)}
          >
            {receive.more}
            <Icon name="down" />
          </button>
          {showsOptions && (
            <Suspense>
              <RequestOptions userId={user.id} form={form} />
            </Suspense>
          )}
        </div>
      </fieldset>
      {form.error && <Note tone="error">{form.error}</Note>}
      <SubmitBar form={form} currency={currency} />
    </Form>
  )
}

function SubmitBar({ form, currency }: { form: RequestFormModel; currency: FiatCode }) {
  const amount = parseAmount(currency, form.values.amount)
  const { payer } = form.values
  return (
    <ActionBar
      title={amount ? formatExact(toDecimal(amount), currency) : receive.noAmount}
      detail={payer ? receive.from(payer.name ?? payer.username) : receive.anyone}
    >
      <Button look="primary" big type="submit" processing={form.isBusy}>
        {receive.generate}
      </Button>
    </ActionBar>
  )
}
