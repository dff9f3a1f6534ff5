import { pages } from '@tern/contract/pages'
import { type TabBarPage, names, type PagesWith } from './navigation.ts'

export type MorePage = Exclude<PagesWith<{ icon: string }>, TabBarPage>

/** Pages of the More sheet: those that move or show money, or those of the account. */
export const morePages = (menu: 'main' | 'account') =>
  names.filter(
    (name): name is MorePage =>
      'icon' in pages[name] &&
      !('cell' in pages[name]) &&
      ('menu' in pages[name] && pages[name].menu === 'account') === (menu === 'account'),
  )
