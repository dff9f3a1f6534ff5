import '../css/states.css'
import { isRouteErrorResponse, useRouteError } from 'react-router'
import { shell } from '#messages/shell.ts'
import { MessagePage } from './MessagePage.tsx'
import NotFound from './NotFound.tsx'

/** What stands in the place of a page that failed. */
export function ErrorPage() {
  const error = useRouteError()
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />
  return (
    <MessagePage title={shell.crashTitle} text={shell.crashText} illustration="arcs">
      <a className="button button-primary button-big" href="">
        {shell.reload}
      </a>
    </MessagePage>
  )
}
