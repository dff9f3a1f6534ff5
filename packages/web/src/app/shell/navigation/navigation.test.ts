import { pages, listPathsByAccess } from '@tern/contract/pages'
import { describe, expect, test } from 'vitest'
import { morePages } from './more-pages.ts'
import { cellPages, findActiveTab } from './navigation.ts'
import { isActiveItem, menuPages, findTabs } from './tabs.ts'

describe('the tab bar', () => {
  test('has four cells, and More holds the other pages with an item', () => {
    expect(cellPages).toEqual(['dashboard', 'send', 'receive', 'exchange'])
    expect(morePages('main')).toEqual([
      'wallet',
      'transactions',
      'statements',
      'insights',
      'atlas',
      'deposit',
      'withdraw',
      'scheduled',
      'split',
    ])
    expect(morePages('account')).toEqual(['profile', 'settings', 'help'])
  })

  test.each([
    ['/dashboard', 'dashboard'],
    ['/dashboard/', 'dashboard'],
    ['/send', 'send'],
    ['/receive/', 'receive'],
    ['/exchange', 'exchange'],
    ['/exchange/orders', 'exchange'],
    ['/exchange/protection/', 'exchange'],
    ['/wallet', 'more'],
    ['/transactions', 'more'],
    ['/statements', 'more'],
    ['/insights', 'more'],
    ['/atlas/', 'more'],
    ['/deposit', 'more'],
    ['/withdraw', 'more'],
    ['/scheduled', 'more'],
    ['/split', 'more'],
    ['/profile', 'more'],
    ['/settings', 'more'],
    ['/settings/limits', 'more'],
    ['/checks/019365a0', 'more'],
    ['/disputes', 'more'],
    ['/receipt', 'more'],
    ['/nothing/here', undefined],
    ['/sending', undefined],
    ['/send-money', undefined],
  ])('%s lights %s', (pathname, cell) => {
    expect(findActiveTab(pathname)).toBe(cell)
  })

  test('every page for members lights a cell', () => {
    for (const path of listPathsByAccess('member')) expect(findActiveTab(path), path).toBeDefined()
  })
})

describe('the side navigation', () => {
  const findTab = (pathname: string) =>
    [...menuPages('main'), ...menuPages('account')].filter((item) => isActiveItem(item, pathname))

  test('has five items, and the account below', () => {
    expect(menuPages('main')).toEqual(['dashboard', 'wallet', 'send', 'receive', 'transactions'])
    expect(menuPages('account')).toEqual(['profile', 'settings', 'help'])
  })

  test.each([
    ['/dashboard/', ['dashboard']],
    ['/exchange', ['wallet']],
    ['/exchange/orders/', ['wallet']],
    ['/exchange/protection', ['wallet']],
    ['/deposit', ['wallet']],
    ['/withdraw', ['wallet']],
    ['/scheduled', ['send']],
    ['/split', ['receive']],
    ['/statements', ['transactions']],
    ['/insights', ['transactions']],
    ['/atlas', ['transactions']],
    ['/settings/limits', ['settings']],
    ['/checks', []],
    ['/nothing/here', []],
  ])('%s lights %s', (pathname, items) => {
    expect(findTab(pathname)).toEqual(items)
  })
})

describe('page tabs', () => {
  test.each([
    ['/wallet', 'wallet', ['wallet', 'exchange', 'orders', 'protection', 'deposit', 'withdraw']],
    ['/exchange/orders/', 'wallet', ['wallet', 'exchange', 'orders', 'protection', 'deposit', 'withdraw']],
    ['/send', 'send', ['send', 'scheduled']],
    ['/split', 'receive', ['receive', 'split']],
    ['/statements', 'transactions', ['transactions', 'statements', 'insights', 'atlas']],
    ['/atlas/', 'transactions', ['transactions', 'statements', 'insights', 'atlas']],
  ])('%s belongs to %s', (pathname, root, tabs) => {
    expect(findTabs(pathname)).toEqual({ root, tabs })
  })

  test.each(['/dashboard', '/receipt', '/settings', '/settings/limits', '/checks', '/nothing/here'])(
    '%s has none',
    (pathname) => {
      expect(findTabs(pathname)).toBeUndefined()
    },
  )

  test('every page under tabs has an owner in the side navigation', () => {
    const tabPages = Object.values(pages).filter((page) => 'tabOf' in page)
    expect(tabPages.map(({ path }) => findTabs(path)?.tabs.length)).not.toContain(undefined)
  })
})
