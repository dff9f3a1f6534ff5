import type { CurrentUser } from '@tern/contract/identity'
import { copying } from '#messages/copying.ts'
import { account } from '#messages/identity/account.ts'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatDate } from '../../../ui/format/format.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { SkeletonLine } from '../../../ui/feedback/Skeleton.tsx'
import { useCopy } from '../../../ui/feedback/use-copy.ts'

/** "1234 567 890": groups that are easy to read out. */
const groupNumber = (userNumber: number): string => String(userNumber).replace(/^(\d{4})(\d{3})(\d{3})$/, '$1 $2 $3')

const columnsClass = 'grid grid-cols-1 gap-x-16 gap-y-5 p-5 md:p-8 xl:grid-cols-[minmax(0,240px)_minmax(0,1fr)]'

/** Public profile of the user, with the user number to share. */
export function NumberCard({ user }: { user: CurrentUser }) {
  const copy = useCopy()
  return (
    <Sheet scaleBar className="mb-10 max-w-224">
      <div className={columnsClass}>
        <div className="row items-start">
          <Avatar name={user.name ?? user.username} />
          <div className="grow wrap-anywhere">
            <b className="block font-medium">{user.name ?? user.username}</b>
            <span className="small muted block">{user.username}</span>
            <span className="small muted block text-balance">{account.memberSince(formatDate(user.created_at))}</span>
          </div>
        </div>
        <div>
          <p className="small muted">{account.userNumber}</p>
          <div className="row flex-wrap">
            <p className="user-number">{groupNumber(user.id)}</p>
            <Button icon="copy" onClick={() => copy(String(user.id), copying.copied(account.userNumber))}>
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
    <Sheet scaleBar className="mb-10 max-w-224">
      <div className={columnsClass}>
        <div className="row">
          <span className="skeleton size-10 rounded-[50%]" />
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
