import '../../css/hold.css'
import type { ReactNode } from 'react'
import { holds as texts } from '#messages/transfers/holds.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { ClockBar } from './ClockBar.tsx'
import type { HoldWords } from './hold-words.ts'

/** Money on hold: status, clock, reason, and the four facts that its owner needs first. */
export function HoldView({ words, children }: { words: HoldWords; children?: ReactNode }) {
  const isLate = Date.parse(words.until) < Date.now()
  return (
    <div className="hold">
      <p className="hold-chip">
        <Icon name="pause" small />
        {words.chip}
      </p>
      <ClockBar from={words.from} until={words.until} untilText={words.untilText} />
      {isLate && words.kind !== 'lists' && <Note tone="warning">{texts.overdue}</Note>}
      <p className="hold-reason">{words.reason}</p>
      <dl className="hold-facts">
        {words.facts.map(({ term, value }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {children}
    </div>
  )
}
