import { Link } from 'react-router'
import { shell } from '#messages/shell.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { paths } from '../paths.ts'

/** Above every page while the account is frozen: why no money leaves, and where that ends. */
export function FrozenNote() {
  return (
    <div className="mb-6">
      <Note tone="warning">
        {shell.frozen} <Link to={paths.settings}>{shell.unfreeze}</Link>
      </Note>
    </div>
  )
}
