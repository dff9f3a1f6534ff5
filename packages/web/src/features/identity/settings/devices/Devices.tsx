import { useQuery } from '@tanstack/react-query'
import { type DeviceSession, endOtherSessions, endSession } from '@tern/contract/security'
import { lazy, Suspense, useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { callWithStepUp, notConfirmed } from '../../../../app/step-up/step-up.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { DataShell } from '../../../../ui/feedback/DataShell.tsx'
import { formatRelative } from '../../../../ui/format/format.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { Entry, EntrySkeleton } from '../../../../ui/layout/RuledSection.tsx'
import { sessionsQuery } from '../../security-queries.ts'
import { StatusBadge } from '../../../../ui/feedback/StatusBadge.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { useSecurityAction } from '../../use-security-action.ts'
import { type DeviceGroup, groupByDevice } from './device-groups.ts'

const loadDialog = () => import('../../../../ui/layout/ConfirmDialog.tsx')
const ConfirmDialog = lazy(async () => ({ default: (await loadDialog()).ConfirmDialog }))

/** Sessions to end: some logins of one device, or all other sessions. */
type SignOutTarget = 'others' | { readonly device: string; readonly logins: readonly DeviceSession[] }

/** Active sessions, one row per device, with a way to end them. */
export function Devices({ userId }: { userId: number }) {
  const query = useQuery(sessionsQuery(userId))
  const { data: sessions } = query
  const toast = useToast()
  const { run, isBusy, error } = useSecurityAction()
  const [choice, setChoice] = useState<SignOutTarget>()
  if (!sessions) return <DataShell query={query} skeleton={<EntrySkeleton />} failed={account.loadFailed} />

  const logOut = (confirmed: SignOutTarget) => {
    setChoice(undefined)
    run(async () => ((await endSessions(confirmed)) ? toast(account.loggedOut) : toast(account.notConfirmed, 'info')))
  }

  return (
    <>
      {error && <Note tone="error">{error}</Note>}
      <ul className="[&>li+li]:mt-4 [&>li+li]:pt-4 [&>li+li]:border-t">
        {groupByDevice(sessions).map((group) => (
          <li key={group.logins[0].id}>
            <DeviceRow group={group} isBusy={isBusy} onLogOut={setChoice} />
          </li>
        ))}
      </ul>
      {sessions.some(({ current }) => !current) && (
        <div>
          <Button icon="logout" disabled={isBusy} onClick={() => setChoice('others')}>
            {account.logOutOthers}
          </Button>
        </div>
      )}
      {choice && (
        <Suspense>
          <ConfirmDialog
            {...describeChoice(choice)}
            action={account.logOut}
            cancel={account.cancel}
            onConfirm={() => logOut(choice)}
            onClose={() => setChoice(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}

function describeChoice(choice: SignOutTarget): { title: string; text: string } {
  if (choice === 'others') return { title: account.logOutOthersTitle, text: account.logOutOthersText }
  const { device, logins } = choice
  return {
    title: account.logOutTitle(device),
    text: logins.length > 1 ? account.logOutLoginsText(logins.length) : account.logOutText,
  }
}

/** Ends the sessions one by one. Returns false if the step-up is declined; the remaining sessions stay active. */
async function endSessions(choice: SignOutTarget): Promise<boolean> {
  if (choice === 'others') return (await callWithStepUp(endOtherSessions, {})) !== notConfirmed
  for (const { id } of choice.logins) {
    if ((await callWithStepUp(endSession, { params: { id } })) === notConfirmed) return false
  }
  return true
}

interface DeviceRowProps {
  group: DeviceGroup
  isBusy: boolean
  onLogOut: (choice: SignOutTarget) => void
}

function DeviceRow({ group: { device, place, logins, isCurrent }, isBusy, onLogOut }: DeviceRowProps) {
  const lastUsedTimes = logins.map(({ last_used_at: at }) => at).toSorted()
  // Non-breaking spaces keep a date and its time on one line.
  const lastUsedText = formatRelative(lastUsedTimes.at(-1) ?? logins[0].last_used_at).replaceAll(' ', '\u00a0')
  const facts = [place, account.lastUsed(lastUsedText)]
  return (
    <>
      <Entry title={device} text={facts.join(' · ')}>
        {isCurrent ? (
          <StatusBadge state="good">{account.thisDevice}</StatusBadge>
        ) : (
          <Button
            look="ghost"
            aria-label={account.logOutOf(device)}
            disabled={isBusy}
            onClick={() => onLogOut({ device, logins })}
          >
            {account.logOut}
          </Button>
        )}
      </Entry>
      {logins.length > 1 && (
        <details className="[&_summary]:w-[fit-content] [&_summary]:py-2 [&_summary]:text-sea [&_summary]:cursor-pointer">
          <summary className="small">{account.logins(logins.length)}</summary>
          <ul>
            {logins.map((login) => (
              <LoginRow
                key={login.id}
                login={login}
                isBusy={isBusy}
                onLogOut={() => onLogOut({ device, logins: [login] })}
              />
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function LoginRow({ login, isBusy, onLogOut }: { login: DeviceSession; isBusy: boolean; onLogOut: () => void }) {
  const createdText = formatRelative(login.created_at)
  return (
    <li className="small row flex-wrap border-t">
      <span className="muted grow py-2">
        {[account.loggedInOn(createdText), account.lastUsed(formatRelative(login.last_used_at))].join(' · ')}
      </span>
      {login.current ? (
        <span className="px-3">{account.thisLogin}</span>
      ) : (
        <Button
          look="ghost"
          aria-label={account.logOutLogin(login.device, createdText)}
          disabled={isBusy}
          onClick={onLogOut}
        >
          {account.logOut}
        </Button>
      )}
    </li>
  )
}
