import { setStreetMode, type StreetMode } from '@tern/contract/transfers/street-mode'
import { toDecimal } from '@tern/money/money'
import { useState } from 'react'
import { street as texts } from '#messages/transfers/street.ts'
import { Form } from '../../../../app/forms/Form.tsx'
import { parseAmount } from '../../../../app/orders/amount.ts'
import { callWithStepUp } from '../../../../app/step-up/step-up.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { formatDateTime } from '../../../../ui/format/format.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { MoneyField } from '../../../../ui/forms/MoneyField.tsx'
import { SelectField } from '../../../../ui/forms/SelectField.tsx'
import { SwitchRow } from '../../../../ui/settings/SettingRow.tsx'
import { formatExact } from '../../../../ui/money/exact-amount.ts'
import { settingIcons } from '../setting-icons.ts'
import { hourName, streetZone, zoneName } from './zone-name.ts'
import { useStreet } from './use-street.ts'

const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: hourName(hour) }))

/** Street mode as one row while off. While on, its limit and night hours open below, with one Save button. */
export function StreetRow({ userId, stored }: { userId: number; stored: StreetMode }) {
  // Switched on for the first time, the mode needs a limit before it is saved.
  const [isRequested, setIsRequested] = useState(false)
  const { change, error } = useStreet(userId)
  const { is_on: isOn, limit, currency, next } = stored
  const set = (isOn: boolean) => {
    if (limit === null) return setIsRequested(isOn)
    const { night_from, night_until, time_zone } = stored
    const body = { is_on: isOn, limit, night_from, night_until, time_zone }
    change(() => callWithStepUp(setStreetMode, { body }), describeSaved)
  }
  return (
    <SwitchRow
      icon={settingIcons.moon}
      title={texts.title}
      text={isOn && limit !== null ? texts.textOn(formatExact(limit, currency)) : texts.text}
      checked={isOn || isRequested}
      onSwitch={set}
    >
      {error && <Note tone="error">{error}</Note>}
      {next && <PendingChange userId={userId} stored={stored} next={next} />}
      {(isOn || isRequested) && <StreetForm userId={userId} stored={stored} onDone={() => setIsRequested(false)} />}
    </SwitchRow>
  )
}

const describeSaved = ({ next }: StreetMode): string => (next ? texts.savedLater(formatDateTime(next.at)) : texts.saved)

/** Limit and night hours of an active street mode. */
function StreetForm({ userId, stored, onDone }: { userId: number; stored: StreetMode; onDone: () => void }) {
  const [chosen, setChosen] = useState(() => ({
    limit: stored.limit ?? '',
    from: stored.night_from,
    until: stored.night_until,
  }))
  const [attempts, setAttempts] = useState(0)
  const { change, isBusy, error } = useStreet(userId)
  const { currency } = stored
  const timeZone = streetZone(stored)
  const amount = parseAmount(currency, chosen.limit)
  const save = () => {
    setAttempts(attempts + 1)
    if (!amount) return
    const night = { night_from: chosen.from, night_until: chosen.until, time_zone: timeZone }
    const body = { is_on: true, limit: toDecimal(amount), ...night }
    change(
      () => callWithStepUp(setStreetMode, { body }),
      (mode) => {
        onDone()
        return describeSaved(mode)
      },
    )
  }
  return (
    <Form className="grid gap-5" submitCount={attempts} onSubmit={save}>
      <MoneyField
        label={texts.limit}
        hint={texts.limitHint}
        currency={currency}
        value={chosen.limit}
        onValueChange={(limit) => setChosen({ ...chosen, limit })}
        error={attempts > 0 && !amount ? texts.enterLimit : undefined}
      />
      <div className="grid grid-cols-2 gap-4">
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
      <p className="small muted">{texts.nightHint(zoneName(timeZone))}</p>
      {error && <Note tone="error">{error}</Note>}
      <Button look="primary" type="submit" processing={isBusy} className="justify-self-start">
        {texts.save}
      </Button>
    </Form>
  )
}

/** Pending change to weaker settings, with a button to cancel it. */
function PendingChange({ userId, stored, next }: { userId: number; stored: StreetMode; next: { at: string } }) {
  const { change, isBusy, error } = useStreet(userId)
  const { is_on, limit, night_from, night_until, time_zone } = stored
  const cancelChange = () =>
    change(
      () => callWithStepUp(setStreetMode, { body: { is_on, limit: limit ?? '', night_from, night_until, time_zone } }),
      () => texts.takenBack,
    )
  return (
    <div className="grid gap-3">
      <Note tone={error ? 'error' : 'info'}>{error ?? texts.next(formatDateTime(next.at))}</Note>
      <Button processing={isBusy} onClick={cancelChange} className="justify-self-start">
        {texts.takeBack}
      </Button>
    </div>
  )
}
