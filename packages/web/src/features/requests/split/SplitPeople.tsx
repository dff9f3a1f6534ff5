import type { FiatCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { mostShares } from '@tern/contract/requests/split-limits'
import { split } from '#messages/transfers/split.ts'
import { Button, IconButton } from '../../../ui/forms/Button.tsx'
import { FieldError } from '../../../ui/forms/Field.tsx'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { Drawing, Icon } from '../../../ui/icon/Icon.tsx'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { nameOf, partError, type SplitPerson, sharesOf } from './split-parts.ts'
import type { SplitFormModel } from './use-split-form.ts'

interface PeopleProps {
  form: SplitFormModel
  currency: FiatCode
}

export function SplitPeople({ form, currency }: PeopleProps) {
  const { values, draft } = form
  const hasOwn = values.people.some(({ isOwn }) => isOwn)
  return (
    <>
      <ul className="split-people">
        {values.people.map((person, index) => (
          <Person key={person.user.id} {...{ form, currency, person, index }} />
        ))}
      </ul>
      <p className="split-total">
        <span>{split.total}</span>
        <span className="tabular">{formatExact(toDecimal(draft.assigned), currency)}</span>
      </p>
      <div className="split-left" role="status">
        {form.isUneven && <Remainder {...{ form, currency, hasOwn }} />}
      </div>
      {!hasOwn && (
        <Button look="ghost" className="-ms-3 mb-3" icon="plus" onClick={form.addYourself}>
          {split.addYourself}
        </Button>
      )}
    </>
  )
}

function Remainder({ form, currency, hasOwn }: PeopleProps & { hasOwn: boolean }) {
  const { minor } = form.draft.left
  const text = formatExact(toDecimal(money(currency, minor < 0n ? -minor : minor)), currency)
  return (
    <>
      <Icon name="clock" />
      <span>{minor < 0n ? split.tooMuch(text) : split.stillToAssign(text)}</span>
      {minor > 0n && hasOwn && (
        <Button look="ghost" onClick={form.people.takeRest}>
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
  const name = nameOf(person)
  const error = form.errorOf(partError(index))
  return (
    <li className="split-person">
      <Avatar name={person.user.name ?? person.user.username} />
      <span className="min-w-0 wrap-anywhere">
        <bdi className="split-name">{name}</bdi>
        <span className="small muted block">{person.user.username}</span>
      </span>
      <span className="split-control">
        {method === 'shares' && <Shares {...{ form, person, index, error }} />}
        {method === 'amounts' && (
          <MoneyField
            className="split-amount"
            label={split.amountOf(name)}
            currency={currency}
            value={person.amount}
            onValueChange={(amount) => form.people.change(index, { amount })}
            error={error}
          />
        )}
      </span>
      <span className="split-part">
        {method !== 'amounts' && <b className="tabular">{part ? formatExact(toDecimal(part), currency) : '–'}</b>}
        {person.isOwn && <span className="small muted block">{split.yourPart}</span>}
      </span>
      <IconButton
        icon="cross"
        label={person.isOwn ? split.leaveOut : split.remove(name)}
        onClick={() => form.people.remove(index)}
      />
      {error && method !== 'amounts' && (
        <div className="split-error" role="alert">
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
  const name = nameOf(person)
  const count = sharesOf(person.shares)
  const step = (by: bigint) => form.people.change(index, { shares: String((count ?? 1n) + by) })
  return (
    <span className="split-shares">
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
        disabled={count !== undefined && count >= BigInt(mostShares)}
        onClick={() => step(1n)}
      >
        <Icon name="plus" />
      </button>
    </span>
  )
}
