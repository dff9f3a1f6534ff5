import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense, useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { shell } from '#messages/shell.ts'
import { useUser } from '../../../../app/session/session.ts'
import { ErrorState } from '../../../../ui/feedback/ErrorState.tsx'
import { EntrySkeleton, RuledSection } from '../../../../ui/layout/RuledSection.tsx'
import { lazyComponent } from '../../../../ui/lazy-component.ts'
import { securityQuery } from '../../security-queries.ts'
import { FreezePart } from './FreezePart.tsx'
import { PasskeyPart } from './PasskeyPart.tsx'
import { PasswordPart } from './PasswordPart.tsx'
import { TwoStep } from './TwoStep.tsx'
import { useMovedPart } from './use-moved-part.ts'

const StreetSection = lazyComponent(() => import('../street/StreetSection.tsx'), 'StreetSection')

const UndoSection = lazyComponent(() => import('../undo/UndoSection.tsx'), 'UndoSection')

/** The first tab of the settings: how the account, and the money that leaves it, is protected. */
export default function SecuritySettings() {
  const user = useUser()
  useMovedPart()
  return user ? <OfUser key={user.id} user={user} /> : <Skeletons />
}

function OfUser({ user }: { user: CurrentUser }) {
  return (
    <>
      <Protection user={user} />
      <RuledSection id="freeze" title={account.freezeTitle} text={account.freezeText}>
        <FreezePart user={user} />
      </RuledSection>
      <Suspense fallback={<EntrySkeleton />}>
        <StreetSection userId={user.id} />
        <UndoSection userId={user.id} />
      </Suspense>
    </>
  )
}

function Protection({ user }: { user: CurrentUser }) {
  const { data: security, isError, refetch } = useQuery(securityQuery(user.id))
  // Recovery codes come with whichever factor is the first, and are shown this once.
  const [codes, setCodes] = useState<readonly string[]>()
  if (isError && !security) return <ErrorState title={account.loadFailed} onRetry={() => void refetch()} />
  if (!security) return <Skeletons />
  const takeCodes = (fresh: readonly string[] | null) => fresh && setCodes(fresh)
  return (
    <>
      <RuledSection title={account.passwordTitle} text={account.passwordText}>
        <PasswordPart user={user} hasPassword={security.has_password} />
      </RuledSection>
      <RuledSection id="two-step" title={account.twoStepTitle} text={account.twoStepText}>
        <TwoStep
          email={user.email}
          security={security}
          codes={codes}
          onCodes={takeCodes}
          onSaved={() => setCodes(undefined)}
        />
      </RuledSection>
      <RuledSection title={account.passkeysTitle} text={account.passkeysText}>
        <PasskeyPart passkeys={security.passkeys} onCodes={takeCodes} />
      </RuledSection>
    </>
  )
}

function Skeletons() {
  const parts = [
    [account.passwordTitle, account.passwordText],
    [account.twoStepTitle, account.twoStepText],
    [account.passkeysTitle, account.passkeysText],
  ] as const
  return (
    <div aria-busy="true" aria-label={shell.loading}>
      {parts.map(([title, text]) => (
        <RuledSection key={title} title={title} text={text}>
          <EntrySkeleton />
        </RuledSection>
      ))}
    </div>
  )
}
