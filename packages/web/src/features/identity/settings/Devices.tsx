import { useQuery } from '@tanstack/react-query'
import { type DeviceSession, endOtherSessions, endSession } from '@tern/contract/security'
import { lazy, Suspense, useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { formatRelative } from '../../../ui/format/format.ts'
import { textLocale } from '../../../ui/format/locale.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Entry, EntrySkeleton } from '../../../ui/layout/RuledSection.tsx'
import { sessionsQuery } from '../security-queries.ts'
import { StatusBadge } from '../../../ui/feedback/StatusBadge.tsx'
import { useSecurityAction } from '../use-security-action.ts'

const loadDialog = () => import('../../../ui/layout/ConfirmDialog.tsx')
const ConfirmDialog = lazy(async () => ({ default: (await loadDialog()).ConfirmDialog }))

const placeOf = ({ country, network }: DeviceSession): string =>
  (country ? new Intl.DisplayNames(textLocale(), { type: 'region' }).of(country) : network) || account.placeUnknown

/** Where the person is signed in, and signing out what they do not know. */
export function Devices({ userId }: { userId: number }) {
  const { data: sessions, isError, refetch } = useQuery(sessionsQuery(userId))
  const { confirmAndRun, isBusy, error } = useSecurityAction()
  const [asked, setAsked] = useState<DeviceSession | 'others'>()
  if (isError && !sessions) return <ErrorState title={account.loadFailed} onRetry={() => void refetch()} />
  if (!sessions) return <EntrySkeleton />
  const others = sessions.filter(({ current }) => !current)

  const signOut = (which: DeviceSession | 'others') => {
    setAsked(undefined)
    const said = () => account.signedOut
    if (which === 'others') confirmAndRun(endOtherSessions, {}, said)
    else confirmAndRun(endSession, { params: { id: which.id } }, said)
  }

  return (
    <>
      {error && <Note tone="error">{error}</Note>}
      <ul className="entry-list">
        {sessions.map((session) => (
          <li key={session.id}>
            <DeviceRow session={session} isBusy={isBusy} onSignOut={() => setAsked(session)} />
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <div>
          <Button icon="logout" disabled={isBusy} onClick={() => setAsked('others')}>
            {account.signOutOthers}
          </Button>
        </div>
      )}
      {asked && (
        <Suspense>
          <ConfirmDialog
            title={asked === 'others' ? account.signOutOthersTitle : account.signOutTitle(asked.device)}
            text={asked === 'others' ? account.signOutOthersText(others.length) : account.signOutText}
            action={account.signOut}
            cancel={account.cancel}
            onConfirm={() => signOut(asked)}
            onClose={() => setAsked(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}

function DeviceRow({ session, isBusy, onSignOut }: { session: DeviceSession; isBusy: boolean; onSignOut: () => void }) {
  const facts = [placeOf(session), account.lastUsed(formatRelative(session.last_used_at))]
  return (
    <Entry title={session.device} text={facts.join(' · ')}>
      {session.current ? (
        <StatusBadge state="good">{account.thisDevice}</StatusBadge>
      ) : (
        <Button look="ghost" aria-label={account.signOutOf(session.device)} disabled={isBusy} onClick={onSignOut}>
          {account.signOut}
        </Button>
      )}
    </Entry>
  )
}
