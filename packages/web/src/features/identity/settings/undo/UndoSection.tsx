import { undo as texts } from '#messages/transfers/undo.ts'
import { RuledSection } from '../../../../ui/layout/RuledSection.tsx'
import { UndoChoice } from './UndoChoice.tsx'

/** Taking back what was sent: for how long, and from whom. */
export function UndoSection({ userId }: { userId: number }) {
  return (
    <RuledSection title={texts.settingsTitle} text={texts.settingsText}>
      <UndoChoice userId={userId} />
    </RuledSection>
  )
}
