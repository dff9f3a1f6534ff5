import type { CurrencyCode } from '@tern/money/currency'
import { schedules } from '#messages/schedules/schedules.ts'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { RadioList } from '../../ui/forms/RadioList.tsx'
import { Switch } from '../../ui/forms/Switch.tsx'

export interface CostGuard {
  readonly isOn: boolean
  /** Plain decimal in the paying currency. */
  readonly amount: string
  readonly waitDays: number
}

interface GuardFieldsProps {
  currency: CurrencyCode
  guard: CostGuard
  onChange: (guard: CostGuard) => void
  error: string | undefined
}

const defaultDays = 3

/** Rate guard: highest cost of one send, and whether it waits for a lower one. */
export function GuardFields({ currency, guard, onChange, error }: GuardFieldsProps) {
  const change = (changed: Partial<CostGuard>) => onChange({ ...guard, ...changed })
  const days = guard.waitDays || defaultDays
  return (
    <>
      <Switch checked={guard.isOn} onChange={(event) => change({ isOn: event.target.checked })}>
        {schedules.guard}
      </Switch>
      {guard.isOn ? (
        <MoneyField
          className="max-w-80"
          label={schedules.guardLabel}
          hint={schedules.guardHint}
          currency={currency}
          value={guard.amount}
          onValueChange={(amount) => change({ amount })}
          error={error}
        />
      ) : (
        <p className="small muted">{schedules.guardOff}</p>
      )}
      <RadioList
        legend={schedules.ifMore}
        choices={[
          { value: 'wait', label: schedules.wait({ days }) },
          { value: 'skip', label: schedules.skipIt },
        ]}
        value={guard.waitDays > 0 ? 'wait' : 'skip'}
        onChange={(value) => change({ waitDays: value === 'wait' ? defaultDays : 0 })}
      />
    </>
  )
}
