import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'

const tabs: readonly { readonly to: string; readonly text: string }[] = [
  { to: paths.settings, text: titles.security },
  { to: paths.limitSettings, text: titles.limitSettings },
  { to: paths.deviceSettings, text: titles.deviceSettings },
  { to: paths.privacySettings, text: titles.privacySettings },
  { to: paths.notificationSettings, text: titles.notificationSettings },
  { to: paths.connectionSettings, text: titles.connectionSettings },
]

/** Tab strip of the settings; scrolls horizontally if it is wider than the page. */
export function SettingsTabs() {
  // Prerendered pages have a trailing slash.
  const currentPath = useLocation().pathname.replace(/\/$/, '')
  const strip = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = strip.current?.querySelector<HTMLElement>('[aria-current]')
    if (strip.current && current) strip.current.scrollLeft = current.offsetLeft - strip.current.clientWidth / 3
  }, [currentPath])
  return (
    <nav ref={strip} className="settings-tabs" aria-label={titles.settings}>
      {tabs.map(({ to, text }) => (
        <Link key={to} to={to} aria-current={to === currentPath ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  )
}
