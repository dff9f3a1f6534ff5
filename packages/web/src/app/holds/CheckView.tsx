import '../../css/hold.css'
import type { Check } from '@tern/contract/compliance/checks'
import { holds as texts } from '#messages/transfers/holds.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { AnswerForm } from './AnswerForm.tsx'
import { HoldView } from './HoldView.tsx'
import { Objection } from './Objection.tsx'
import { describeCheck } from './hold-texts.ts'

/** A check as its account holder sees it, with forms to answer it while it is open and to object to it. */
export function CheckView({ check, userId }: { check: Check; userId: number }) {
  const endings = check.request_id === null ? texts.endings : texts.endingsOfGuest
  const actions = <Objection check={check} userId={userId} />
  if (check.state === 'open') {
    return (
      <HoldView holdTexts={describeCheck(check)}>
        <AnswerForm check={check} userId={userId} />
        {actions}
      </HoldView>
    )
  }
  return (
    <div className="grid grid-cols-1 gap-5">
      <Note tone={check.state === 'cleared' ? 'info' : 'warning'}>
        <b>{texts.ended[check.state]}.</b> {endings[check.state]}{' '}
        {check.decided_at && texts.decidedAt(formatDateTime(check.decided_at))}
      </Note>
      {actions}
    </div>
  )
}
