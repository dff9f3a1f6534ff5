import type { CurrentUser } from '@tern/contract/identity'
import { verification } from '#messages/home/verification.ts'
import { paths } from '../../app/paths.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'

const linkTexts = {
  not_started: verification.begin,
  pending: verification.seeState,
  in_review: verification.seeState,
  needs_information: verification.seeNeeds,
  rejected: verification.seeNeeds,
}

type Unverified = Exclude<CurrentUser['kyc_status'], 'verified'>

/**
 * What somebody who is not verified yet has to do next. It takes the globe's place, which nobody fills before they can
 * send: so nothing moves when it appears.
 */
export function VerificationNote({ status }: { status: Unverified }) {
  return (
    <div className="grid h-full content-center p-5 xl:justify-end xl:p-10">
      <div className="grid max-w-90 justify-items-start gap-4 border-s-3 border-wait ps-5">
        <p>{verification.states[status]}</p>
        <LinkButton iconAfter="next" to={paths.register}>
          {linkTexts[status]}
        </LinkButton>
      </div>
    </div>
  )
}
