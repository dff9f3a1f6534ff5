import type { CurrentUser } from '@tern/contract/identity'
import { Link } from 'react-router'
import { dashboard } from '#messages/dashboard.ts'
import { paths } from '../../paths.ts'
import { Note } from '../../ui/Note.tsx'

const linkTexts = {
  not_started: dashboard.verifyLink,
  pending: dashboard.verifyStateLink,
  in_review: dashboard.verifyStateLink,
  needs_information: dashboard.verifyAgainLink,
  rejected: dashboard.verifyAgainLink,
}

/** What somebody who is not verified yet has to do next. */
export function VerificationNote({ status }: { status: CurrentUser['kyc_status'] | undefined }) {
  if (status === undefined || status === 'verified') return null
  return (
    <div className="mt-6">
      <Note tone={status === 'pending' || status === 'in_review' ? 'info' : 'warning'}>
        {dashboard.verify[status]}{' '}
        <Link className="font-medium" to={paths.register}>
          {linkTexts[status]}
        </Link>
      </Note>
    </div>
  )
}
