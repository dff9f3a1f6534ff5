import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { transactions } from '#messages/transactions.ts'
import { walletQuery } from '../../../app/session/live.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { RadioPills } from '../../../ui/forms/RadioList.tsx'
import { SelectField } from '../../../ui/forms/SelectField.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import {
  type Filter,
  filterDays,
  filterStatuses,
  filterTypes,
  noFilter,
  type Place,
  type Sort,
  defaultSort,
} from './list-state.ts'

export type Choices = Filter & Sort & Pick<Place, 'at'>

interface FilterFormProps {
  userId: number
  choices: Choices
  /** Also offers the sort order, for layouts without column headings. */
  hasSort?: boolean
  onApply: (newChoices: Partial<Choices>) => void
}

const buildChoices = <Value extends string>(labels: Readonly<Record<Value, string>>, values: readonly Value[]) =>
  values.map((value) => ({ value, label: labels[value] }))

const sortOptions = Object.entries(transactions.sortChoices).map(([value, label]) => ({ value, label }))

/** Filter of the list. Changes apply on Apply; Reset clears all of them. */
export function FilterForm({ userId, choices, hasSort = false, onApply }: FilterFormProps) {
  const form = useForm<Choices>({ defaultValues: choices })
  const draft = form.watch()
  const wallet = useQuery(walletQuery(userId))
  const currencies = wallet.data?.assets.map((asset) => asset.currency) ?? []
  // A start date applies only to date order.
  const apply = form.handleSubmit((newChoices) =>
    onApply(newChoices.at === '' || newChoices.at === choices.at ? newChoices : { ...newChoices, sort: 'date' }),
  )

  return (
    <form
      className="grid gap-x-8 gap-y-5 md:grid-cols-[200px_minmax(0,1fr)] xl:grid-cols-[224px_minmax(0,1fr)_auto]"
      onSubmit={(event) => void apply(event)}
    >
      {hasSort && (
        <SelectField
          label={transactions.sortBy}
          choices={sortOptions}
          value={`${draft.sort} ${draft.order}`}
          onChange={(event) => {
            const [sort, order] = event.target.value.split(' ') as [Sort['sort'], Sort['order']]
            form.setValue('sort', sort)
            form.setValue('order', order)
          }}
        />
      )}
      <SelectField
        label={transactions.type}
        placeholder={transactions.allTypes}
        choices={buildChoices(transactions.typeChoices, filterTypes)}
        {...form.register('type')}
      />
      <RadioPills
        legend={transactions.dateRange}
        choices={buildChoices(transactions.dayChoices, filterDays)}
        value={draft.days}
        onChange={(days) => form.setValue('days', days)}
      />
      <SelectField
        className="md:col-start-1"
        label={transactions.wallet}
        placeholder={transactions.allBalances}
        choices={currencies.map((value) => ({ value, label: transactions.balanceIn(value) }))}
        {...form.register('currency')}
      />
      <RadioPills
        legend={transactions.status}
        choices={buildChoices(transactions.statusChoices, filterStatuses)}
        value={draft.status}
        onChange={(status) => form.setValue('status', status)}
      />
      <TextField className="md:col-start-1" label={transactions.startAt} type="date" {...form.register('at')} />
      <div className="row self-end xl:col-start-3 max-xl:col-span-full max-md:justify-between md:justify-end">
        <Button look="ghost" onClick={() => onApply(hasSort ? { ...noFilter, ...defaultSort } : noFilter)}>
          {transactions.reset}
        </Button>
        <Button look="primary" type="submit">
          {transactions.apply}
        </Button>
      </div>
    </form>
  )
}
