import { pageTitle } from '../../app/page-title.ts'

/** Title and description of a public page. */
export const siteMeta = (page: Parameters<typeof pageTitle>[0], description: string) => [
  ...pageTitle(page),
  { name: 'description', content: description },
]
