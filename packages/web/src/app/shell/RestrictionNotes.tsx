import type { CurrentUser } from '@tern/contract/identity'
import { Link } from 'react-router'
import { calls } from '#messages/identity/calls.ts'
import { shell } from '#messages/shell.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { paths } from '../paths.ts'

/**
 * Notes above every page: a call by an operator, and while no money may leave a person's account, the reason and where
 * to end it.
 */
export function RestrictionNotes({ user }: { user: CurrentUser }) {
  return (
    <>
      {user.call_until && <RestrictionNote text={calls.bannerNow} link={calls.bannerLink} to={paths.calls} />}
      {user.frozen_at && <RestrictionNote text={shell.frozen} link={shell.unfreeze} to={`${paths.settings}#freeze`} />}
      {user.has_open_loss && (
        <RestrictionNote text={shell.moneyMissing} link={shell.payMissing} to={`${paths.settings}#missing-money`} />
      )}
    </>
  )
}

function RestrictionNote({ text, link, to }: { text: string; link: string; to: string }) {
  return (
    <div className="mb-6">
      <Note tone="warning">
        {text} <Link to={to}>{link}</Link>
      </Note>
    </div>
  )
}
