import type { ReactNode } from 'react'
import { classNames } from '../icon/class-names.ts'

export interface Definition {
  readonly term: ReactNode
  readonly value: ReactNode
  /** Marks a total: bold, under a dark line. */
  readonly sum?: boolean | undefined
}

interface DefinitionListProps {
  entries: readonly (Definition | false | undefined)[]
  small?: boolean | undefined
}

/** Terms with their values, divided by lines, such as the breakdown of a price. Empty entries are left out. */
export function DefinitionList({ entries, small }: DefinitionListProps) {
  const visibleEntries = entries.filter((entry): entry is Definition => Boolean(entry))
  return (
    <dl className={classNames('definitions', small && 'small')}>
      {visibleEntries.map((entry, index) => (
        <div key={index} className={entry.sum ? 'definitions-sum' : undefined}>
          <dt>{entry.term}</dt>
          <dd>{entry.value}</dd>
        </div>
      ))}
    </dl>
  )
}
