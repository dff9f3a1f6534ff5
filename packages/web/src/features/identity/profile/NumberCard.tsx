import type { CurrentUser } from '@tern/contract/identity'
import { account } from '#messages/identity/account.ts'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatDate } from '../../../ui/format/format.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { SkeletonLine } from '../../../ui/feedback/Skeleton.tsx'
import { useCopy } from '../use-copy.ts'

/** "1234 567 890": groups that can be read out. */
const inGroups = (userNumber: number): string => String(userNumber).replace(/^(\d{4})(\d{3})(\d{3})$/, '$1 $2 $3')

/** The person as others meet them, and the number they can hand out. */
export function NumberCard({ user }: { user: CurrentUser }) {
  const copy = useCopy()
  return (
    <Sheet scaleBar className="number-card">
      <div className="number-card-body">
        <div className="row items-start">
          <Avatar name={user.name ?? user.username} />
          <div className="grow wrap-anywhere">
            <b className="block font-medium">{user.name ?? user.username}</b>
            <span className="small muted block">{user.username}</span>
            <span className="small muted block">{account.memberSince(formatDate(user.created_at))}</span>
          </div>
        </div>
        <div>
          <p className="small muted">{account.userNumber}</p>
          <div className="row flex-wrap">
            <p className="user-number">{inGroups(user.id)}</p>
            <Button icon="copy" onClick={() => copy(account.userNumber, String(user.id))}>
              {account.copy}
            </Button>
          </div>
          <p className="small muted mt-2">{account.userNumberText}</p>
        </div>
      </div>
    </Sheet>
  )
}

export function NumberCardSkeleton() {
  return (
    <Sheet scaleBar className="number-card">
      <div className="number-card-body">
        <div className="row">
          <span className="skeleton skeleton-round" />
          <SkeletonLine className="w-2/5" />
        </div>
        <div className="grid gap-4">
          <SkeletonLine className="w-24" />
          <SkeletonLine className="h-11 w-4/5" />
          <SkeletonLine className="w-full" />
        </div>
      </div>
    </Sheet>
  )
}
