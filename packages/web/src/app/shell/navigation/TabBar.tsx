import { pages } from '@tern/contract/pages'
import { type RefObject } from 'react'
import { Link } from 'react-router'
import { menu, shell } from '#messages/shell.ts'
import { Drawing, Icon } from '../../../ui/icon/Icon.tsx'
import { cellPages, findActiveTab } from './navigation.ts'

interface TabBarProps {
  pathname: string
  isMoreOpen: boolean
  /** Closes the More sheet after a choice. */
  onChoose: () => void
  onMore: () => void
  moreButton: RefObject<HTMLButtonElement | null>
}

/** Tab bar at the foot of phones: four pages, and More for the others. CSS hides it on pages with an action bar. */
export function TabBar({ pathname, isMoreOpen, onChoose, onMore, moreButton }: TabBarProps) {
  const activeTab = findActiveTab(pathname)
  return (
    <nav className="tab-bar" aria-label={shell.mainMenu}>
      {cellPages.map((name) => (
        <Link
          key={name}
          to={pages[name].path}
          aria-current={activeTab === name ? 'page' : undefined}
          onClick={onChoose}
        >
          <Icon name={pages[name].icon} />
          {name === 'dashboard' ? shell.home : menu[name]}
        </Link>
      ))}
      <button
        type="button"
        ref={moreButton}
        aria-haspopup="dialog"
        aria-expanded={isMoreOpen}
        aria-current={activeTab === 'more' || undefined}
        onClick={onMore}
      >
        <Drawing name="more" path="M5.5 12h.01M12 12h.01M18.5 12h.01" />
        {shell.more}
      </button>
    </nav>
  )
}
