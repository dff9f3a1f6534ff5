import { shell } from '#messages/shell.ts'

/** While the first page of the app is on its way. */
export function LoadingPage() {
  return (
    <p className="visually-hidden" role="status">
      {shell.loading}
    </p>
  )
}
