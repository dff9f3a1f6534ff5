import type { FiatCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { maxShares } from '@tern/contract/requests/split-limits'
import { split } from '#messages/transfers/split.ts'
import { Button, IconButton } from '../../../ui/forms/Button.tsx'
import { FieldError } from '../../../ui/forms/Field.tsx'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { Drawing, Icon } from '../../../ui/icon/Icon.tsx'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { participantName, partError, type SplitPerson, parseShares } from './split-parts.ts'
import type { SplitFormModel } from './use-split-form.ts'

const row =
  'grid min-h-17 grid-cols-[40px_minmax(0,1fr)_auto_112px_44px] items-center gap-x-4 py-2 not-first:border-t ' +
  'max-sm:grid-cols-[40px_minmax(0,1fr)_auto_44px] max-sm:gap-x-3 ' +
  '[&>.button-square]:-me-3 [&>.button-square]:text-ink-3'
const leftClass =
  'mb-3 flex flex-wrap items-center gap-x-2 text-small font-medium text-wait not-empty:min-h-11 [&_.icon]:size-4'
/** Amount without a visible label, as high as a button. */
const amount =
  'w-44 [&_.field-label]:sr-only [&_.input-box]:min-h-11 [&_.input]:py-2 [&_.input]:text-end [&_.input]:font-text ' +
  '[&_.input]:text-base [&_.input]:font-medium [&_.input]:tracking-[0] [&_.input]:tabular-nums'
const shares =
  'inline-flex items-center rounded-control border border-line-strong bg-sheet focus-within:border-sea ' +
  'has-aria-invalid:border-beak-ink [&_button]:grid [&_button]:size-11 [&_button]:place-items-center ' +
  '[&_button:disabled]:text-ink-3 [&_button:disabled]:opacity-50 [&_.icon]:size-4 [&_input]:size-11 ' +
  '[&_input]:bg-transparent [&_input]:text-center [&_input]:font-medium [&_input]:tabular-nums'

interface PeopleProps {
  form: SplitFormModel
  currency: FiatCode
}

export function SplitPeople({ form, currency }: PeopleProps) {
  const { values, draft } = form
  const includesSelf = values.people.some(({ isOwn }) => isOwn)
  return (
    <>
      <ul className="mt-3 border-t">
        {values.people.map((person, index) => (
          <Person key={person.user.id} {...{ form, currency, person, index }} />
        ))}
      </ul>
      <p className="flex justify-between gap-4 border-t border-ink py-3 pe-15 font-bold max-sm:pe-14">
        <span>{split.total}</span>
        <span className="tabular">{formatExact(toDecimal(draft.assigned), currency)}</span>
      </p>
      <div className={leftClass} role="status">
        {form.hasRemainder && <Remainder {...{ form, currency, includesSelf }} />}
      </div>
      {!includesSelf && (
        <Button look="ghost" className="-ms-3 mb-3" icon="plus" onClick={form.addYourself}>
          {split.addYourself}
        </Button>
      )}
    </>
  )
}

function Remainder({ form, currency, includesSelf }: PeopleProps & { includesSelf: boolean }) {
  const { minor } = form.draft.remaining
  const text = formatExact(toDecimal(money(currency, minor < 0n ? -minor : minor)), currency)
  return (
    <>
      <Icon name="clock" />
      <span>{minor < 0n ? split.tooMuch(text) : split.stillToAssign(text)}</span>
      {minor > 0n && includesSelf && (
        <Button look="ghost" onClick={form.people.assignRest}>
          {split.addToYours}
        </Button>
      )}
    </>
  )
}

interface PersonProps extends PeopleProps {
  person: SplitPerson
  index: number
}

function Person({ form, currency, person, index }: PersonProps) {
  const { method } = form.values
  const part = form.draft.parts[index]
  const name = participantName(person)
  const error = form.getError(partError(index))
  return (
    <li className={row}>
      <Avatar name={person.user.name ?? person.user.username} />
      <span className="min-w-0 wrap-anywhere">
        <bdi className="block font-medium leading-5.5">{name}</bdi>
        <span className="small muted block">{person.user.username}</span>
      </span>
      <span className="max-sm:col-[2/4] max-sm:row-start-2 max-sm:justify-self-start max-sm:not-empty:my-1">
        {method === 'shares' && <Shares {...{ form, person, index, error }} />}
        {method === 'amounts' && (
          <MoneyField
            className={amount}
            label={split.amountOf(name)}
            currency={currency}
            value={person.amount}
            onValueChange={(amount) => form.people.change(index, { amount })}
            error={error}
          />
        )}
      </span>
      <span className="text-end whitespace-nowrap [&_b]:font-medium">
        {method !== 'amounts' && <b className="tabular">{part ? formatExact(toDecimal(part), currency) : '–'}</b>}
        {person.isOwn && <span className="small muted block">{split.yourPart}</span>}
      </span>
      <IconButton
        icon="cross"
        label={person.isOwn ? split.leaveOut : split.remove(name)}
        onClick={() => form.people.remove(index)}
      />
      {error && method !== 'amounts' && (
        <div className="col-[2/-1]" role="alert">
          <FieldError id={`split-error-${index}`}>{error}</FieldError>
        </div>
      )}
    </li>
  )
}

interface SharesProps {
  form: SplitFormModel
  person: SplitPerson
  index: number
  error: string | undefined
}

/** Whole number of shares, typed or changed with buttons. */
function Shares({ form, person, index, error }: SharesProps) {
  const name = participantName(person)
  const count = parseShares(person.shares)
  const step = (by: bigint) => form.people.change(index, { shares: String((count ?? 1n) + by) })
  return (
    <span className={shares}>
      <button
        type="button"
        aria-label={split.oneLess(name)}
        disabled={count === undefined || count <= 1n}
        onClick={() => step(-1n)}
      >
        <Drawing name="minus" path="M6 12h12" />
      </button>
      <input
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
        aria-label={split.sharesOf(name)}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `split-error-${index}` : undefined}
        value={person.shares}
        onChange={(event) => form.people.change(index, { shares: event.target.value.replaceAll(/\D/g, '') })}
      />
      <button
        type="button"
        aria-label={split.oneMore(name)}
        disabled={count !== undefined && count >= BigInt(maxShares)}
        onClick={() => step(1n)}
      >
        <Icon name="plus" />
      </button>
    </span>
  )
}
