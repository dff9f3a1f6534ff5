import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { transactions } from '#messages/transactions.ts'
import { walletQuery } from '../../live.ts'
import { Button } from '../../ui/Button.tsx'
import { RadioPills } from '../../ui/RadioList.tsx'
import { SelectField } from '../../ui/SelectField.tsx'
import { type Filter, filterDays, filterStatuses, filterTypes, noFilter } from './list-state.ts'

interface FilterFormProps {
  userId: number
  filter: Filter
  onApply: (filter: Filter) => void
}

const choicesOf = <Value extends string>(labels: Readonly<Record<Value, string>>, values: readonly Value[]) =>
  values.map((value) => ({ value, label: labels[value] }))

/** The choices that narrow the list. Nothing changes before Apply; Reset takes all of them away. */
export function FilterForm({ userId, filter, onApply }: FilterFormProps) {
  const [draft, setDraft] = useState(filter)
  const wallet = useQuery(walletQuery(userId))
  const currencies = wallet.data?.assets.map((asset) => asset.currency) ?? []
  const choose = (part: Partial<Filter>) => setDraft((before) => ({ ...before, ...part }))

  function apply(event: FormEvent) {
    event.preventDefault()
    onApply(draft)
  }

  return (
    <form
      className="grid gap-x-8 gap-y-5 md:grid-cols-[200px_minmax(0,1fr)] xl:grid-cols-[224px_minmax(0,1fr)_auto]"
      onSubmit={apply}
    >
      <SelectField
        label={transactions.type}
        placeholder={transactions.allTypes}
        choices={choicesOf(transactions.typeChoices, filterTypes)}
        value={draft.type}
        onChange={(event) => choose({ type: event.target.value as Filter['type'] })}
      />
      <RadioPills
        legend={transactions.dateRange}
        choices={choicesOf(transactions.dayChoices, filterDays)}
        value={draft.days}
        onChange={(days) => choose({ days })}
      />
      <SelectField
        className="md:col-start-1"
        label={transactions.wallet}
        placeholder={transactions.allBalances}
        choices={currencies.map((value) => ({ value, label: transactions.balanceIn(value) }))}
        value={draft.currency}
        onChange={(event) => choose({ currency: event.target.value as Filter['currency'] })}
      />
      <RadioPills
        legend={transactions.status}
        choices={choicesOf(transactions.statusChoices, filterStatuses)}
        value={draft.status}
        onChange={(status) => choose({ status })}
      />
      <div className="row self-end max-xl:col-span-full max-md:justify-between md:justify-end">
        <Button look="ghost" onClick={() => onApply(noFilter)}>
          {transactions.reset}
        </Button>
        <Button look="primary" type="submit">
          {transactions.apply}
        </Button>
      </div>
    </form>
  )
}
