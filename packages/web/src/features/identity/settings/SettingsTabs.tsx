import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'

/** The tabs of the settings, each a page; a further one is a line here. */
const tabs: readonly { readonly to: string; readonly text: string }[] = [
  { to: paths.settings, text: titles.security },
  { to: paths.limitSettings, text: titles.limitSettings },
  { to: paths.deviceSettings, text: titles.deviceSettings },
  { to: paths.privacySettings, text: titles.privacySettings },
  { to: paths.notificationSettings, text: titles.notificationSettings },
  { to: paths.connectionSettings, text: titles.connectionSettings },
]

/** The tabs of the settings in one row, which scrolls where it is wider than the page. */
export function SettingsTabs() {
  // Pages are made at addresses with a slash at the end.
  const here = useLocation().pathname.replace(/\/$/, '')
  const strip = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = strip.current?.querySelector<HTMLElement>('[aria-current]')
    if (strip.current && current) strip.current.scrollLeft = current.offsetLeft - strip.current.clientWidth / 3
  }, [here])
  return (
    <nav ref={strip} className="settings-tabs" aria-label={titles.settings}>
      {tabs.map(({ to, text }) => (
        <Link key={to} to={to} aria-current={to === here ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  )
}
