import { pages } from '@tern/contract/pages'
import { menuPages, plain, withTabs } from './navigation.ts'

/** The tabs above a page, with the item of the side navigation that owns them; undefined where a page stands alone. */
export const tabsAt = (pathname: string) =>
  menuPages('main')
    .map((root) => ({ root, tabs: withTabs(root) }))
    .find(({ tabs }) => tabs.length > 1 && tabs.some((name) => pages[name].path === plain(pathname)))
