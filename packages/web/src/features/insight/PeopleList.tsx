import type { InsightBalance } from '@tern/contract/insight'
import { useId } from 'react'
import { Link } from 'react-router'
import { insights as texts } from '#messages/insight/insights.ts'
import { writeInsightAddress } from '../../app/insight-address.ts'
import { isZero } from '../../ui/format/format.ts'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { CategorySelect, LastChoice } from './CategorySelect.tsx'
import type { FlowProps } from './CategoryTable.tsx'
import { nameParty } from './name-party.ts'
import { useCategoryChoice } from './use-category-choice.ts'

/** Amounts by person, each with a link to its transactions and the category of all transactions with them. */
export function PeopleList({ userId, balance, flow, period }: FlowProps & { userId: number }) {
  const id = useId()
  const choices = useCategoryChoice(userId)
  const { currency, counterparties, others } = balance
  return (
    <section aria-labelledby={id}>
      <h2 className="display-s" id={id}>
        {texts.byPerson}
      </h2>
      <LastChoice choices={choices} />
      <ul className="people-list">
        {counterparties
          .filter((one) => !isZero(one[flow]))
          .map(({ party, category, [flow]: amount }) => (
            <li key={party.id ?? 'guests'}>
              <Link
                className="people-link"
                to={writeInsightAddress(currency, period, { flow, person: party.id ?? 'guests' })}
                preventScrollReset
              >
                <Avatar name={party.id === null ? undefined : nameParty(party)} icon="person" />
                <span className="min-w-0">
                  <span className="block truncate font-medium">{nameParty(party)}</span>
                  {party.name !== null && <span className="small muted block truncate">{party.username}</span>}
                </span>
                <span className="tabular font-medium" translate="no">
                  {formatExact(amount, currency)}
                </span>
              </Link>
              {party.id !== null && (
                <CategorySelect
                  subject={{ person: party.id }}
                  name={nameParty(party)}
                  value={category}
                  choices={choices}
                />
              )}
            </li>
          ))}
        {others && <Others others={others} flow={flow} currency={currency} />}
      </ul>
    </section>
  )
}

interface OthersProps {
  others: NonNullable<InsightBalance['others']>
  flow: 'spending' | 'income'
  currency: InsightBalance['currency']
}

function Others({ others, flow, currency }: OthersProps) {
  if (isZero(others[flow])) return null
  return (
    <li className="people-others">
      <span>{texts.others(others.people)}</span>
      <span className="tabular" translate="no">
        {formatExact(others[flow], currency)}
      </span>
    </li>
  )
}
