import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense, useState } from 'react'
import { Outlet } from 'react-router'
import { account } from '#messages/identity/account.ts'
import { shell, titles } from '#messages/shell.ts'
import { useUser } from '../../app/session/session.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ConfirmEmailNote } from './email-links/ConfirmEmailNote.tsx'
import { EntrySkeleton, RuledSection } from '../../ui/layout/RuledSection.tsx'
import { securityQuery } from './security-queries.ts'
import { Connections } from './settings/Connections.tsx'
import { Devices } from './settings/Devices.tsx'
import { FreezePart } from './settings/FreezePart.tsx'
import { PasskeyPart } from './settings/PasskeyPart.tsx'
import { PasswordPart } from './settings/PasswordPart.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { TwoStep } from './settings/TwoStep.tsx'

const LossSection = lazyComponent(() => import('./settings/losses/LossSection.tsx'), 'LossSection')

const PrivacySection = lazyComponent(() => import('./settings/privacy/PrivacySection.tsx'), 'PrivacySection')

const StreetSection = lazyComponent(() => import('./settings/street/StreetSection.tsx'), 'StreetSection')

/** How the account is protected, what routes.ts puts into the midst of it, and where it is signed in. */
export default function Settings() {
  const user = useUser()
  return (
    <>
      <h1 className="display-m">{titles.settings}</h1>
      <p className="muted mb-8">{account.settingsLead}</p>
      {user ? <OfUser key={user.id} user={user} /> : <Skeletons />}
    </>
  )
}

function OfUser({ user }: { user: CurrentUser }) {
  return (
    <>
      <ConfirmEmailNote user={user} />
      <Suspense>
        <LossSection userId={user.id} isExpected={user.has_open_loss} />
      </Suspense>
      <Protection user={user} />
      <Outlet />
      <RuledSection id="freeze" title={account.freezeTitle} text={account.freezeText}>
        <FreezePart user={user} />
      </RuledSection>
      <Suspense>
        <StreetSection userId={user.id} />
      </Suspense>
      <RuledSection id="devices" title={account.devicesTitle} text={account.devicesText}>
        <Devices userId={user.id} />
      </RuledSection>
      <Suspense>
        <PrivacySection userId={user.id} />
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
      <Connections connections={security.external} />
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
