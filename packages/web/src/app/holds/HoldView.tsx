import '../../css/hold.css'
import type { ReactNode } from 'react'
import { holds as texts } from '#messages/transfers/holds.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { ClockBar } from './ClockBar.tsx'
import type { HoldTexts } from './hold-texts.ts'

/** Money on hold: status, clock, reason, and the four facts that its owner needs first. */
export function HoldView({ holdTexts, children }: { holdTexts: HoldTexts; children?: ReactNode }) {
  const isLate = Date.parse(holdTexts.until) < Date.now()
  return (
    <div className="grid grid-cols-1 gap-5">
      <p className="flex gap-2 items-center text-small font-medium text-wait">
        <Icon name="pause" small />
        {holdTexts.chip}
      </p>
      <ClockBar from={holdTexts.from} until={holdTexts.until} untilText={holdTexts.untilText} />
      {isLate && holdTexts.kind !== 'lists' && <Note tone="warning">{texts.overdue}</Note>}
      <p className="max-w-[62ch] text-pretty">{holdTexts.reason}</p>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,220px),1fr))] gap-x-8 gap-y-5">
        {holdTexts.facts.map(({ term, value }) => (
          <div key={term}>
            <dt className="text-fine/5 text-ink-2">{term}</dt>
            <dd className="text-control/5.5 text-pretty">{value}</dd>
          </div>
        ))}
      </dl>
      {children}
    </div>
  )
}
