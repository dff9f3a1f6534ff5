import { pages } from '@tern/contract/pages'
import { isWithinPage, names, type PagesWith, trimSlashes } from './navigation.ts'

type MenuPage = PagesWith<{ menu: string }>
type TabPage = MenuPage | PagesWith<{ tabOf: string }>

export const menuPages = (menu: 'main' | 'account') =>
  names.filter((name): name is MenuPage => 'menu' in pages[name] && pages[name].menu === menu)

/** A page with the pages under its tabs. */
const listWithTabs = (root: MenuPage): readonly TabPage[] =>
  names.filter((name): name is TabPage => name === root || ('tabOf' in pages[name] && pages[name].tabOf === root))

/** True if an item of the side navigation is current: for its page, the pages below it, and those under its tabs. */
export const isActiveItem = (item: MenuPage, pathname: string): boolean =>
  listWithTabs(item).some((name) => isWithinPage(pathname, name))

/** Tabs above a page, with the side navigation item that owns them; undefined without tabs. */
export const findTabs = (pathname: string) =>
  menuPages('main')
    .map((root) => ({ root, tabs: listWithTabs(root) }))
    .find(({ tabs }) => tabs.length > 1 && tabs.some((name) => pages[name].path === trimSlashes(pathname)))
