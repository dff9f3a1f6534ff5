import { setStreetMode, type StreetMode } from '@tern/contract/transfers/street-mode'
import { toDecimal } from '@tern/money/money'
import { useState } from 'react'
import { street as texts } from '#messages/transfers/street.ts'
import { Form } from '../../../../app/forms/Form.tsx'
import { amountOf } from '../../../../app/orders/amount.ts'
import { callWithStepUp } from '../../../../app/step-up/step-up.ts'
import { knowsTimeZone, ownTimeZone } from '../../../../app/browser/time-zone.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { formatDateTime } from '../../../../ui/format/format.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { MoneyField } from '../../../../ui/forms/MoneyField.tsx'
import { SelectField } from '../../../../ui/forms/SelectField.tsx'
import { Switch } from '../../../../ui/forms/Switch.tsx'
import { useStreet } from './use-street.ts'

const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: texts.hour(hour) }))

/** Whether the mode is on, its limit and the hours of the night. */
export function StreetChoice({ userId, stored }: { userId: number; stored: StreetMode }) {
  const [chosen, setChosen] = useState(() => ({
    isOn: stored.is_on,
    limit: stored.limit ?? '',
    from: stored.night_from,
    until: stored.night_until,
  }))
  const [attempts, setAttempts] = useState(0)
  const { change, isBusy, error } = useStreet(userId)
  const { currency, next } = stored
  // What was chosen once keeps its time zone, so that a journey loosens nothing.
  const timeZone = stored.limit === null ? ownTimeZone() : stored.time_zone
  const amount = amountOf(currency, chosen.limit)
  const save = () => {
    setAttempts(attempts + 1)
    if (!amount) return
    const night = { night_from: chosen.from, night_until: chosen.until, time_zone: timeZone }
    const body = { is_on: chosen.isOn, limit: toDecimal(amount), ...night }
    change(
      () => callWithStepUp(setStreetMode, { body }),
      (mode) => (mode.next ? texts.savedLater(formatDateTime(mode.next.at)) : texts.saved),
    )
  }
  return (
    <Form className="grid gap-5" submitCount={attempts} onSubmit={save}>
      <Switch checked={chosen.isOn} onChange={(event) => setChosen({ ...chosen, isOn: event.target.checked })}>
        {texts.turnOn}
      </Switch>
      {next && <Waiting userId={userId} stored={stored} next={next} />}
      <MoneyField
        label={texts.limit}
        hint={texts.limitHint}
        currency={currency}
        value={chosen.limit}
        onValueChange={(limit) => setChosen({ ...chosen, limit })}
        error={attempts > 0 && !amount ? texts.enterLimit : undefined}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <SelectField
          label={texts.nightFrom}
          choices={hours}
          value={String(chosen.from)}
          onChange={(event) => setChosen({ ...chosen, from: event.target.selectedIndex })}
        />
        <SelectField
          label={texts.nightUntil}
          choices={hours}
          value={String(chosen.until)}
          onChange={(event) => setChosen({ ...chosen, until: event.target.selectedIndex })}
        />
      </div>
      <p className="small muted">
        {texts.zone(timeZone)}
        {stored.limit === null && !knowsTimeZone() && ` ${texts.zoneUnknown}`}
      </p>
      {error && <Note tone="error">{error}</Note>}
      <Button look="primary" type="submit" processing={isBusy} className="justify-self-start">
        {texts.save}
      </Button>
    </Form>
  )
}

/** What was loosened and does not hold yet, and the way to take that back. */
function Waiting({ userId, stored, next }: { userId: number; stored: StreetMode; next: { at: string } }) {
  const { change, isBusy, error } = useStreet(userId)
  const { is_on, limit, night_from, night_until, time_zone } = stored
  const takeBack = () =>
    change(
      () => callWithStepUp(setStreetMode, { body: { is_on, limit: limit ?? '', night_from, night_until, time_zone } }),
      () => texts.takenBack,
    )
  return (
    <div className="grid gap-3">
      <Note tone={error ? 'error' : 'info'}>{error ?? texts.next(formatDateTime(next.at))}</Note>
      <Button processing={isBusy} onClick={takeBack} className="justify-self-start">
        {texts.takeBack}
      </Button>
    </div>
  )
}
