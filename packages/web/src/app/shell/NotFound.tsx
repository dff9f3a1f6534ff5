import { shell } from '#messages/shell.ts'
import { paths } from '../paths.ts'
import { MessagePage } from './MessagePage.tsx'

export const meta = () => [{ title: shell.pageTitle(shell.notFoundTitle) }, { name: 'robots', content: 'noindex' }]

/** An address without a page. */
export default function NotFound() {
  return (
    <MessagePage title={shell.notFoundTitle} text={shell.notFoundText} illustration="empty">
      <a className="button button-primary button-big" href={paths.landing}>
        {shell.toStart}
      </a>
    </MessagePage>
  )
}
