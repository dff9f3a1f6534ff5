import { pages, type PageName } from '@tern/contract/pages'

/** Path of each page, by its name in the table of pages. */
export const paths = Object.fromEntries(Object.entries(pages).map(([name, { path }]) => [name, path])) as {
  readonly [Name in PageName]: (typeof pages)[Name]['path']
}
