import type { CurrentUser } from '@tern/contract/identity'
import type { Recurrence, Schedule } from '@tern/contract/schedules/schedules'
import type { Wallet } from '@tern/contract/wallets'
import { toDecimal } from '@tern/money/money'
import { useNavigate } from 'react-router'
import { schedules } from '#messages/schedules/schedules.ts'
import { Form } from '../../app/forms/Form.tsx'
import { parseAmount } from '../../app/orders/amount.ts'
import { PriceSheet } from '../../app/orders/PriceSheet.tsx'
import { paths } from '../../app/paths.ts'
import { knowsTimeZone, ownTimeZone, getTomorrow } from '../../app/browser/time-zone.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { SelectField } from '../../ui/forms/SelectField.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { ActionBar } from '../../ui/layout/ActionBar.tsx'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { RecipientField } from '../../app/recipient/RecipientField.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { PayeeWarning } from '../../app/warnings/PayeeWarning.tsx'
import { GuardFields } from './GuardFields.tsx'
import { type ScheduleFormModel, useScheduleForm } from './use-schedule-form.ts'

interface FormProps {
  user: CurrentUser
  wallet: Wallet
  /** Schedule to change; undefined for a new one. */
  schedule: Schedule | undefined
}

/** Recipient, amount, dates and rate guard of a scheduled send. */
export function ScheduleForm({ user, wallet, schedule }: FormProps) {
  const navigate = useNavigate()
  const toast = useToast()
  const form = useScheduleForm({
    user,
    currency: wallet.base_currency,
    schedule,
    onDone() {
      toast(schedule ? schedules.changed : schedules.created)
      void navigate(paths.scheduled)
    },
  })
  const { values } = form
  const name = values.recipient?.name ?? values.recipient?.username ?? ''
  return (
    <>
      <FocusedHeading level="h1" className="display-m">
        {schedule ? schedules.editTitle(name) : schedules.newTitle}
      </FocusedHeading>
      <Form
        className="grid grid-cols-[minmax(0,560px)_minmax(280px,360px)] gap-x-16 gap-y-8 items-start mt-8 max-xl:grid-cols-[minmax(0,1fr)_300px] max-xl:gap-x-8 max-md:grid-cols-1 *:min-w-0"
        submitCount={form.submitCount}
        onSubmit={() => void form.submit()}
      >
        <fieldset className="grid content-start gap-6 *:min-w-0" disabled={form.isBusy}>
          <PayeeFields userId={user.id} form={form} isNew={!schedule} />
          <DateFields form={form} schedule={schedule} />
          {form.isFloatingCost && (
            <GuardFields
              currency={form.sourceCurrency}
              guard={values.guard}
              onChange={(guard) => form.set('guard', guard)}
              error={form.getError('guard')}
            />
          )}
        </fieldset>
        <aside>
          <PriceSheet
            scaleBar
            heading={schedules.priceHeading(name)}
            live={form.live}
            empty={<p className="small muted p-6">{schedules.priceEmpty}</p>}
          >
            <p>{schedules.priceToday}</p>
          </PriceSheet>
        </aside>
        <div className="grid col-1 gap-4 *:min-w-0">
          <PayeeWarning name={name} amount={describeWarned(form)} state={form.warning} />
          {form.error && <Note tone="error">{form.error}</Note>}
          <ActionBar {...describeSubmit(form)}>
            <Button big className="wide-only" onClick={() => void navigate(paths.scheduled)}>
              {schedules.cancel}
            </Button>
            <Button look="primary" big type="submit" processing={form.isBusy}>
              {schedule ? schedules.change : schedules.create}
            </Button>
          </ActionBar>
        </div>
      </Form>
    </>
  )
}

/** Amount of each date, as the sender confirms that they have read the warning. */
function describeWarned({ warnedAmount, isFloatingCost }: ScheduleFormModel): string {
  if (!warnedAmount) return ''
  const amount = formatExact(warnedAmount.source_amount, warnedAmount.source_currency)
  return isFloatingCost ? schedules.atMost(amount) : amount
}

/** Lines of the action bar: amount, recipient and recurrence, or the first missing input. */
function describeSubmit({ values, typedCurrency }: ScheduleFormModel): { title: string; detail: string } {
  const { recipient } = values
  const amount = parseAmount(typedCurrency, values.amount)
  if (!recipient) return { title: schedules.missing.recipient, detail: '' }
  const name = recipient.name ?? recipient.username
  if (!amount) return { title: schedules.missing.amount, detail: schedules.forName(name) }
  const recurrenceText = schedules.often_choices[values.recurrence]
  return {
    title: formatExact(toDecimal(amount), typedCurrency),
    detail: `${schedules.forName(name)}, ${recurrenceText}`,
  }
}

interface PartProps {
  form: ScheduleFormModel
}

function PayeeFields({ userId, form, isNew }: PartProps & { userId: number; isNew: boolean }) {
  const { values, set, getError, sourceCurrency, targetCurrency } = form
  return (
    <>
      {isNew && (
        <RecipientField
          userId={userId}
          text={values.recipientText}
          recipient={values.recipient}
          currency={targetCurrency}
          error={getError('recipientText')}
          onTextChange={(text) => {
            set('recipient', undefined)
            set('recipientText', text)
          }}
          onChoose={(user) => {
            set('recipientText', user.email ?? user.username)
            set('recipient', user)
          }}
          onLeave={form.lookUp}
        />
      )}
      {targetCurrency !== undefined && targetCurrency !== sourceCurrency && (
        <div>
          <Segmented
            label={schedules.fixed}
            choices={[
              { value: 'target', label: schedules.theyGet },
              { value: 'source', label: schedules.youSend },
            ]}
            value={values.side}
            onChange={(side) => set('side', side)}
          />
        </div>
      )}
      <MoneyField
        label={schedules.amount}
        currency={form.typedCurrency}
        value={values.amount}
        onValueChange={(amount) => set('amount', amount)}
        error={getError('amount') ?? form.live.refused?.amount}
      />
      <TextField
        label={schedules.note}
        optional
        maxLength={200}
        autoComplete="off"
        value={values.note}
        onChange={(event) => set('note', event.target.value)}
        error={getError('note')}
      />
    </>
  )
}

const recurrences: readonly Recurrence[] = ['once', 'weekly', 'biweekly', 'monthly', 'month_end']

function DateFields({ form, schedule }: PartProps & { schedule: Schedule | undefined }) {
  const { values, set, getError } = form
  const zone = schedule?.time_zone ?? ownTimeZone()
  const { recurrence } = values
  const hint =
    recurrence === 'month_end'
      ? schedules.monthEndHint(zone)
      : recurrence === 'monthly'
        ? schedules.monthlyHint(zone)
        : schedules.dateHint(zone)
  return (
    <div className="grid grid-cols-2 gap-x-4 gap-y-6 items-start max-[480px]:grid-cols-1">
      <SelectField
        label={schedules.often}
        choices={recurrences.map((value) => ({ value, label: schedules.often_choices[value] }))}
        value={recurrence}
        onChange={(event) => set('recurrence', event.target.value as Recurrence)}
      />
      <TextField
        label={recurrence === 'once' ? schedules.on : schedule ? schedules.nextOn : schedules.firstOn}
        type="date"
        min={getTomorrow()}
        value={values.date}
        onChange={(event) => set('date', event.target.value)}
        error={getError('date')}
        hint={schedule || knowsTimeZone() ? hint : `${hint} ${schedules.zoneUnknown}`}
      />
    </div>
  )
}
