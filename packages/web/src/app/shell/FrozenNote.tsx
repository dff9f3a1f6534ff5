import { Link } from 'react-router'
import { frozenNote } from '#messages/identity/frozen.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { paths } from '../paths.ts'

/** Above every page while the account is frozen: why no money leaves, and where that ends. */
export function FrozenNote() {
  return (
    <div className="mb-6">
      <Note tone="warning">
        {frozenNote.text} <Link to={paths.settings}>{frozenNote.link}</Link>
      </Note>
    </div>
  )
}
