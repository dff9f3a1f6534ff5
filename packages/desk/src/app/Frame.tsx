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
import { forgetSession, isOffline, useCounts, useMe, useOwnCall } from './use-desk.ts'

const icons: Readonly<Record<(typeof places)[number]['act'], IconName>> = {
  verifications: 'person',
  holds: 'pause',
  exceptions: 'swap',
  payouts: 'bank',
  disputes: 'warning',
  treasury: 'wallet',
  people: 'search',
  calls: 'info',
  operators: 'settings',
  log: 'list',
  cases: 'lock',
  objections: 'warning',
  tie_break: 'check',
}

const isQueue = (act: string): act is DeskQueue => deskQueues.some((queue) => queue === act)

/** Header, side navigation with the count of each queue, and the page. */
export function Frame({ children }: { children: ReactNode }) {
  const [showsKeys, setShowsKeys] = useState(false)
  const navigate = useNavigate()
  const { acts } = useMe()
  const ownPlaces = places.filter(({ act }) => acts.includes(act))
  useKeys((key) => {
    const place =
      key === '/'
        ? ownPlaces.find(({ act }) => act === 'people')
        : ownPlaces.find(({ letter }) => key === `g ${letter}`)
    if (place) void navigate(place.path)
    if (key === '?') setShowsKeys(true)
    return place !== undefined || key === '?'
  })
  return (
    <div className="grid h-dvh grid-cols-[196px_332px_minmax(0,1fr)] grid-rows-[48px_minmax(0,1fr)] max-full:grid-cols-[196px_248px_minmax(0,1fr)] max-wide:grid-cols-[96px_268px_minmax(0,1fr)] max-md:grid-cols-[minmax(0,1fr)] max-md:grid-rows-[48px_auto_minmax(0,1fr)]">
      <a className="absolute -top-15 z-3 bg-sheet p-3 focus:top-0" href="#main">
        {desk.skip}
      </a>
      <TopBar onKeys={() => setShowsKeys(true)} />
      <Rail />
      {children}
      {showsKeys && <KeyMap onClose={() => setShowsKeys(false)} />}
    </div>
  )
}

function TopBar({ onKeys }: { onKeys: () => void }) {
  const { name, roles, signed_in_at: signedInAt } = useMe()
  const client = useQueryClient()

  async function handleSignOut() {
    await call(signOut, {}).catch(() => undefined)
    forgetSession(client)
  }

  return (
    <header className="col-span-full flex items-center gap-4 border-b px-4 max-md:gap-2 max-md:px-3">
      <span className="flex items-center gap-2 font-display text-[1.25rem]/7 max-md:me-auto">
        <Mark />
        Tern <span className="text-ink-3">{desk.title}</span>
      </span>
      <span className="ms-auto flex items-center gap-1.5 text-ink-2 max-md:hidden">
        <Icon name="info" small /> <span className="max-wide:hidden">{desk.logged}</span>
      </span>
      <Button look="ghost" onClick={onKeys} aria-keyshortcuts="?">
        {desk.allKeys} <kbd>?</kbd>
      </Button>
      <span className="flex items-center gap-2 leading-4">
        <Avatar name={name} />
        <span className="max-md:hidden">
          <b className="block font-medium">{name}</b>
          <span className="text-tiny text-ink-3">
            {roles.map((role) => desk.roles[role]).join(', ')} · {desk.since(formatTime(signedInAt))}
          </span>
        </span>
      </span>
      <Button look="ghost" icon="logout" onClick={() => void handleSignOut()} aria-label={desk.signOut} />
    </header>
  )
}

function Rail() {
  const { acts } = useMe()
  const counts = useCounts()
  const { data: calls } = useOwnCall(acts.includes('calls'))
  const rail = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // On phones the navigation is a horizontally scrolling row.
  useEffect(() => {
    rail.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <nav
      className="overflow-y-auto border-e px-2 py-3 max-wide:px-0.5 max-md:flex max-md:overflow-x-auto max-md:overflow-y-hidden max-md:border-e-0 max-md:border-b max-md:px-2 max-md:py-1"
      aria-label={desk.rail.label}
      ref={rail}
    >
      {(['decide', 'mend', 'watch'] as const).map((group) => {
        const ownPlaces = places.filter((place) => place.group === group && acts.includes(place.act))
        return ownPlaces.length === 0 ? null : (
          <section key={group} className="max-md:flex-none">
            <h2 className="px-2 pt-3 pb-1 text-tiny font-medium text-ink-3 max-wide:ps-1.5 max-md:hidden">
              {desk.rail[group]}
            </h2>
            <ul className="max-md:flex">
              {ownPlaces.map(({ act, path, letter }) => (
                <li key={act} className="max-md:flex-none">
                  <NavLink
                    to={path}
                    title={`G ${letter.toUpperCase()}`}
                    className="grid min-h-9 grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-x-2.5 gap-y-0 rounded-control px-2 font-book text-ink-2 no-underline hover:bg-sea-wash aria-[current]:bg-sea-wash aria-[current]:font-strong aria-[current]:text-sea max-wide:min-h-13 max-wide:grid-cols-[18px_1fr] max-wide:gap-x-1.5 max-wide:gap-y-0.5 max-wide:px-1 max-wide:py-1.5 max-wide:text-tiny max-md:min-w-18 max-md:px-2 max-md:whitespace-nowrap"
                  >
                    <Icon name={icons[act]} small />
                    <span className="max-wide:col-span-full max-wide:row-start-2">
                      {desk.rail[act as Exclude<typeof act, 'tie_break' | 'calls'>]}
                    </span>
                    <span className="font-normal tabular-nums">
                      {isQueue(act)
                        ? counts.data?.counts[act]
                        : act === 'people'
                          ? calls?.alerts || undefined
                          : undefined}
                    </span>
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
