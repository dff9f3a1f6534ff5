import { Suspense } from 'react'
import { useUser } from '../../app/session/session.ts'
import { EntrySkeleton, RuledSection } from '../../ui/layout/RuledSection.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { verification } from '#messages/identity/verification.ts'

const VerificationStatus = lazyComponent(() => import('./VerificationStatus.tsx'), 'VerificationStatus')

/** Verification section of the profile, a child route of it. */
export default function VerificationPart() {
  const user = useUser()
  if (user === undefined) return null
  return (
    <RuledSection title={verification.title} text={verification.text}>
      <Suspense fallback={<EntrySkeleton />}>
        <VerificationStatus key={user.id} user={user} />
      </Suspense>
    </RuledSection>
  )
}
