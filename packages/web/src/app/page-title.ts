import { type PageName, pages } from '@tern/contract/pages'
import { shell, titles } from '#messages/shell.ts'

/** Title of the page at an address, from the table of pages. Layouts pass it to the pages inside them. */
export function pageTitle({ location }: { location: { pathname: string } }) {
  const path = location.pathname.replace(/(.)\/+$/, '$1')
  const name = (Object.keys(pages) as PageName[]).find((candidate) => pages[candidate].path === path)
  return name ? [{ title: shell.pageTitle(titles[name]) }] : []
}

/** Head of an app page: its title and the description of Tern. */
export const appMeta = (page: Parameters<typeof pageTitle>[0]) => [
  ...pageTitle(page),
  { name: 'description', content: shell.description },
]
