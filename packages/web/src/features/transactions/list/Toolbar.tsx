import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { transactions } from '#messages/transactions.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { ExtraIcon } from '../../../ui/icon/ExtraIcon.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { type Choices, FilterForm } from './FilterForm.tsx'
import { type ListState, countFilters } from './list-state.ts'

const Dialog = lazy(async () => ({ default: (await import('../../../ui/layout/Dialog.tsx')).Dialog }))

const searchDelayMs = 300
const wideQuery = '(min-width: 900px)'

interface ToolbarProps {
  userId: number | undefined
  state: ListState
  onSearch: (search: string) => void
  onFilter: (choices: Partial<Choices>) => void
}

/**
 * Search and filter. On wide screens the filter docks above the table, so that it never covers an amount; otherwise it
 * opens in a sheet.
 */
export function Toolbar({ userId, state, onSearch, onFilter }: ToolbarProps) {
  const [open, setOpen] = useState<'docked' | 'sheet'>()
  const filterCount = countFilters(state)
  const formProps = {
    choices: {
      type: state.type,
      days: state.days,
      status: state.status,
      currency: state.currency,
      sort: state.sort,
      order: state.order,
      at: state.at,
    },
    onApply: (choices: Partial<Choices>) => {
      setOpen(undefined)
      onFilter(choices)
    },
  }
  return (
    <>
      <div className="mt-6 mb-4 flex items-stretch gap-3" role="search">
        <SearchField value={state.search} onSearch={onSearch} />
        <Button
          className="row-end"
          aria-expanded={open !== undefined}
          aria-controls={open === 'docked' ? 'transaction-filter' : undefined}
          disabled={userId === undefined}
          onClick={() => setOpen(open ? undefined : matchMedia(wideQuery).matches ? 'docked' : 'sheet')}
        >
          <ExtraIcon name="filter" />
          <span className="max-md:sr-only">
            {filterCount ? transactions.filterOn(filterCount) : transactions.filter}
          </span>
        </Button>
      </div>
      {open === 'docked' && userId !== undefined && (
        <section id="transaction-filter" className="mb-4 rounded-control bg-water p-5" aria-label={transactions.filter}>
          <FilterForm key={JSON.stringify(formProps.choices)} userId={userId} {...formProps} />
        </section>
      )}
      {open === 'sheet' && userId !== undefined && (
        <Suspense>
          <Dialog open size="small" title={transactions.filter} onClose={() => setOpen(undefined)}>
            <div className="mt-3">
              <FilterForm hasSort userId={userId} {...formProps} />
            </div>
          </Dialog>
        </Suspense>
      )}
    </>
  )
}

/** Searches shortly after the last keystroke; follows changes of the address. */
function SearchField({ value, onSearch }: { value: string; onSearch: (search: string) => void }) {
  const [text, setText] = useState(value)
  const lastQuery = useRef(value)
  const field = useRef<HTMLInputElement>(null)
  // Takes over text typed before hydration.
  useLayoutEffect(() => {
    if (field.current?.value) setText(field.current.value)
  }, [])
  useEffect(() => {
    if (value === lastQuery.current) return
    lastQuery.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    if (text === lastQuery.current) return
    const timer = setTimeout(() => {
      lastQuery.current = text
      onSearch(text)
    }, searchDelayMs)
    return () => clearTimeout(timer)
  }, [text, onSearch])
  return (
    <TextField
      className="grow md:max-w-100 [&>label]:sr-only"
      label={transactions.search}
      icon="search"
      type="search"
      enterKeyHint="search"
      autoComplete="off"
      maxLength={100}
      placeholder={transactions.search}
      ref={field}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
