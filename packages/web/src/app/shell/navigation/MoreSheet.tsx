import '../../../css/dialog.css'
import '../../../css/more-sheet.css'
import { pages } from '@tern/contract/pages'
import { type MouseEvent, useEffect, useState } from 'react'
import { NavLink } from 'react-router'
import { menu, shell } from '#messages/shell.ts'
import { IconButton } from '../../../ui/forms/Button.tsx'
import { Drawing, Icon } from '../../../ui/icon/Icon.tsx'
import { iconPaths } from '../../../ui/icon/icons.ts'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { type MorePage, morePages } from './more-pages.ts'

/** Icons used only by this sheet. */
const ownIcons = {
  bars: 'M4 20h16M7 16.5V11M12 16.5V5M17 16.5V8.5',
  globe: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M4 12h16M12 4c-4.6 5-4.6 11 0 16M12 4c4.6 5 4.6 11 0 16',
  calendar: 'M4 6h16v14H4zM4 10.5h16M8.5 3.5V7M15.5 3.5V7',
  page: 'M6 3.5h8.5L19 8v12.5H6zM14.5 3.5V8H19M9.5 12.5h6M9.5 16.5h6',
  people:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 19.5a6.5 6.5 0 0 1 13 0M16 4.8a3.5 3.5 0 0 1 0 6.4M18 13.8a6.5 6.5 0 0 1 3.5 5.7',
} as const

const sheetIcons = { ...iconPaths, ...ownIcons }

interface MoreSheetProps {
  onClose: () => void
  onLogout: () => void
}

/**
 * Sheet with the pages under More, above the tab bar, which remains usable. Opens with the focus on its heading; closes
 * with Escape, the scrim, a choice, the Back button, and when the window becomes too wide for the bar.
 */
export function MoreSheet({ onClose: close, onLogout }: MoreSheetProps) {
  // The first `onClose` is kept: a listener replaced during an event would miss that event.
  const [onClose] = useState(() => close)
  useEffect(() => {
    const wideQuery = matchMedia('(min-width: 900px)')
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') onClose()
    }
    addEventListener('keydown', closeOnEscape)
    // Closed here rather than on the page change, by which time the user may have opened it again.
    addEventListener('popstate', onClose)
    wideQuery.addEventListener('change', onClose)
    return () => {
      removeEventListener('keydown', closeOnEscape)
      removeEventListener('popstate', onClose)
      wideQuery.removeEventListener('change', onClose)
    }
  }, [onClose])
  const closeOnChoice = ({ target }: MouseEvent) => {
    if ((target as Element).closest('a')) onClose()
  }
  return (
    <>
      <div className="scrim" aria-hidden="true" onClick={onClose} />
      <section
        className="more-sheet [inset:auto_0_0] rounded-[var(--radius-large)_var(--radius-large)_0_0] [box-shadow:var(--shadow)] [animation:more-rises_var(--calm)_var(--ease)] border border-b-0 fixed z-41 max-h-[94dvh] overflow-auto overscroll-contain pt-0 px-(--gutter) pb-(--foot) bg-sheet"
        role="dialog"
        aria-labelledby="more-title"
        onClick={closeOnChoice}
      >
        <div className="[&+ul]:border-t flex items-center justify-between min-h-13 [&>.button]:-me-3">
          <FocusedHeading className="display-s" id="more-title">
            {shell.more}
          </FocusedHeading>
          <IconButton icon="cross" label={shell.close} onClick={onClose} />
        </div>
        <ul>
          {morePages('main').map((name) => (
            <Row key={name} name={name} />
          ))}
        </ul>
        <ul>
          {morePages('account').map((name) => (
            <Row key={name} name={name} />
          ))}
          <li>
            <button
              type="button"
              className="text-base font-book flex gap-4 items-center w-full min-h-13 text-start no-underline [&_.icon]:size-5.5 [&[aria-current]]:font-strong [&[aria-current]]:text-sea"
              onClick={onLogout}
            >
              <Icon name="logout" />
              {shell.logout}
            </button>
          </li>
        </ul>
      </section>
    </>
  )
}

function Row({ name }: { name: MorePage }) {
  const { path, icon } = pages[name]
  return (
    <li>
      <NavLink
        className="text-base font-book flex gap-4 items-center w-full min-h-13 text-start no-underline [&_.icon]:size-5.5 [&[aria-current]]:font-strong [&[aria-current]]:text-sea"
        to={path}
        reloadDocument={name === 'help'}
      >
        <Drawing name={icon} path={sheetIcons[icon]} />
        {menu[name]}
      </NavLink>
    </li>
  )
}
