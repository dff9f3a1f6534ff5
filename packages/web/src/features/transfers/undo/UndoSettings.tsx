import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { undo as texts } from '#messages/transfers/undo.ts'
import { useUser } from '../../../app/session/session.ts'
import { EntrySkeleton, RuledSection } from '../../../ui/layout/RuledSection.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const UndoChoice = lazyComponent(() => import('./UndoChoice.tsx'), 'UndoChoice')

/** The part of the settings about taking back what was sent, below the one about paying. */
export default function UndoSettings() {
  const userId = useUser()?.id
  return (
    <>
      <Outlet />
      {userId !== undefined && (
        <RuledSection title={texts.settingsTitle} text={texts.settingsText}>
          <Suspense fallback={<EntrySkeleton />}>
            <UndoChoice key={userId} userId={userId} />
          </Suspense>
        </RuledSection>
      )}
    </>
  )
}
