import { pageTitle } from '../../app/page-title.ts'

export const siteMeta = (page: Parameters<typeof pageTitle>[0], description: string) => [
  ...pageTitle(page),
  { name: 'description', content: description },
]
