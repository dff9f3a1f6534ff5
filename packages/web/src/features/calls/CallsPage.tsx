import '../../css/calls.css'
import { shell, titles } from '#messages/shell.ts'
import { calls as texts } from '#messages/identity/calls.ts'
import { useUser } from '../../app/session/session.ts'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { CallReport } from './CallReport.tsx'

export const meta = () => [{ title: shell.pageTitle(titles.calls) }]

/** Page that says whether Tern is calling the account holder at this moment. */
export default function CallsPage() {
  const user = useUser()
  return (
    <>
      <h1 className="display-m">{titles.calls}</h1>
      <p className="muted mt-2 mb-8 max-w-160">{texts.lead}</p>
      {user ? (
        <CallReport key={user.id} userId={user.id} />
      ) : (
        <div className="max-w-160" aria-busy="true" aria-label={shell.loading}>
          <TextSkeleton lines={6} />
        </div>
      )}
    </>
  )
}
