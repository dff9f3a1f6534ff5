import { pages } from '@tern/contract/pages'
import { shell, titles } from '#messages/shell.ts'

/** The title of the page at an address, as the table of pages says. Layouts give it to the pages inside them. */
export function pageTitle({ location }: { location: { pathname: string } }) {
  const path = location.pathname.replace(/(.)\/+$/, '$1')
  const page = Object.values(pages).find((each) => each.path === path)
  return page ? [{ title: shell.pageTitle(titles[page.title]) }] : []
}

/** The head of a page of the app: its title, and what Tern is. */
export const appMeta = (page: Parameters<typeof pageTitle>[0]) => [
  ...pageTitle(page),
  { name: 'description', content: shell.description },
]
