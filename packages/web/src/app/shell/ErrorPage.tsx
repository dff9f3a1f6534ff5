import { isRouteErrorResponse, useRouteError } from 'react-router'
import { shell } from '#messages/shell.ts'
import { paths } from '../paths.ts'

/** Replaces a page that failed. Needs no further files to load. */
export function ErrorPage() {
  const error = useRouteError()
  const isMissing = isRouteErrorResponse(error) && error.status === 404
  return (
    <main className="error-page">
      <h1 className="display-l">{isMissing ? shell.notFoundTitle : shell.crashTitle}</h1>
      <p className="lead">{isMissing ? shell.notFoundText : shell.crashText}</p>
      <a className="button button-primary button-big" href={isMissing ? paths.landing : ''}>
        {isMissing ? shell.toStart : shell.reload}
      </a>
    </main>
  )
}
