import { pages } from '@tern/contract/pages'
import { Link } from 'react-router'
import { menu as titles } from '#messages/shell.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { isActiveItem, menuPages } from './tabs.ts'

export function NavigationList({ menu, pathname }: { menu: 'main' | 'account'; pathname: string }) {
  return menuPages(menu).map((name) => (
    <Link
      key={name}
      className="nav-item"
      to={pages[name].path}
      aria-current={isActiveItem(name, pathname) ? 'page' : undefined}
      reloadDocument={name === 'help'}
    >
      <Icon name={pages[name].icon} />
      {titles[name]}
    </Link>
  ))
}
