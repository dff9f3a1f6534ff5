import { useQueryClient } from '@tanstack/react-query'
import { signOut } from '@tern/contract/desk/operators'
import { type DeskQueue, deskQueues } from '@tern/contract/desk/roles'
import { desk } from '@tern/messages/en/desk/desk'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { NavLink, useLocation, useNavigate } from 'react-router'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { formatTime } from '@tern/web/ui/format/format.ts'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { Mark } from '@tern/web/ui/icon/Brand.tsx'
import { Icon } from '@tern/web/ui/icon/Icon.tsx'
import type { IconName } from '@tern/web/ui/icon/icons.ts'
import { Avatar } from '@tern/web/ui/layout/Avatar.tsx'
import { call, places } from './client.ts'
import { useKeys } from './keyboard.ts'
import { KeyMap } from './KeyMap.tsx'
import { forgetSession, isOffline, useCounts, useMe } from './use-desk.ts'

const icons: Readonly<Record<(typeof places)[number]['act'], IconName>> = {
  verifications: 'person',
  holds: 'pause',
  exceptions: 'swap',
  payouts: 'bank',
  disputes: 'warning',
  treasury: 'wallet',
  people: 'search',
  operators: 'settings',
  log: 'list',
  cases: 'lock',
  objections: 'warning',
  tie_break: 'check',
}

const isQueue = (act: string): act is DeskQueue => deskQueues.some((queue) => queue === act)

/** Top line, rail of queues with their counts, and the page. */
export function Frame({ children }: { children: ReactNode }) {
  const [showsKeys, setShowsKeys] = useState(false)
  const navigate = useNavigate()
  const { acts } = useMe()
  const own = places.filter(({ act }) => acts.includes(act))
  useKeys((key) => {
    const place =
      key === '/' ? own.find(({ act }) => act === 'people') : own.find(({ letter }) => key === `g ${letter}`)
    if (place) void navigate(place.path)
    if (key === '?') setShowsKeys(true)
    return place !== undefined || key === '?'
  })
  return (
    <div className="dk-frame">
      <a className="dk-skip" href="#main">
        {desk.skip}
      </a>
      <Top onKeys={() => setShowsKeys(true)} />
      <Rail />
      {children}
      {showsKeys && <KeyMap onClose={() => setShowsKeys(false)} />}
    </div>
  )
}

function Top({ onKeys }: { onKeys: () => void }) {
  const { name, roles, signed_in_at: signedInAt } = useMe()
  const client = useQueryClient()

  async function leave() {
    await call(signOut, {}).catch(() => undefined)
    forgetSession(client)
  }

  return (
    <header className="dk-top">
      <span className="dk-brand">
        <Mark />
        Tern <span>{desk.title}</span>
      </span>
      <span className="dk-logged">
        <Icon name="info" small /> <span>{desk.logged}</span>
      </span>
      <Button look="ghost" onClick={onKeys} aria-keyshortcuts="?">
        {desk.allKeys} <kbd>?</kbd>
      </Button>
      <span className="dk-me">
        <Avatar name={name} />
        <span>
          <b>{name}</b>
          <span>
            {roles.map((role) => desk.roles[role]).join(', ')} · {desk.since(formatTime(signedInAt))}
          </span>
        </span>
      </span>
      <Button look="ghost" icon="logout" onClick={() => void leave()} aria-label={desk.signOut} />
    </header>
  )
}

function Rail() {
  const { acts } = useMe()
  const counts = useCounts()
  const rail = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // On a phone the rail is a row that scrolls.
  useEffect(() => {
    rail.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <nav className="dk-rail" aria-label={desk.rail.label} ref={rail}>
      {(['decide', 'mend', 'watch'] as const).map((group) => {
        const own = places.filter((place) => place.group === group && acts.includes(place.act))
        return own.length === 0 ? null : (
          <section key={group}>
            <h2>{desk.rail[group]}</h2>
            <ul>
              {own.map(({ act, path, letter }) => (
                <li key={act}>
                  <NavLink to={path} title={`G ${letter.toUpperCase()}`}>
                    <Icon name={icons[act]} small />
                    <span>{desk.rail[act as Exclude<typeof act, 'tie_break'>]}</span>
                    <span className="dk-count">{isQueue(act) ? counts.data?.counts[act] : undefined}</span>
                  </NavLink>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
      {isOffline(counts.error) && <Note tone="error">{desk.offline}</Note>}
    </nav>
  )
}
