import { type PageName, pages } from '@tern/contract/pages'

export type PagesWith<Mark extends object> = {
  [Name in PageName]: (typeof pages)[Name] extends Mark ? Name : never
}[PageName]

export type TabBarPage = PagesWith<{ cell: true }>

export const names = Object.keys(pages) as PageName[]

/** Pages whose addresses may be followed by the id of an entry. */
const pagesWithId: readonly PageName[] = ['checks', 'disputes']

/** Removes trailing slashes, with which prerendered pages are opened. */
export const trimSlashes = (pathname: string): string => pathname.replace(/(.)\/+$/, '$1')

export const isWithinPage = (pathname: string, name: PageName): boolean =>
  `${pathname}/`.startsWith(`${pages[name].path}/`)

export const isPage = (pathname: string): boolean =>
  names.some((name) => pages[name].path === trimSlashes(pathname)) ||
  pagesWithId.some((name) => isWithinPage(pathname, name))

export const cellPages = names.filter((name): name is TabBarPage => 'cell' in pages[name])

/** Current cell of the tab bar: More for pages without a cell of their own, none for addresses without a page. */
export const findActiveTab = (pathname: string): TabBarPage | 'more' | undefined =>
  cellPages.find((name) => isWithinPage(pathname, name)) ?? (isPage(pathname) ? 'more' : undefined)
