import { cancelTransfer, type Transfer } from '@tern/contract/transfers'
import { holds as texts } from '#messages/transfers/holds.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { paths } from '../paths.ts'
import { moneyKeys } from '../session/live.ts'
import { useApiMutation } from '../use-api-mutation.ts'
import { CheckView } from './CheckView.tsx'
import { HoldView } from './HoldView.tsx'
import { describeLists, describeReview } from './hold-texts.ts'

/** A payment held for a check, for screening lists or for a review; only a review may be cancelled by the sender. */
export function ReviewHold({ transfer, userId }: { transfer: Transfer; userId: number }) {
  const { hold } = transfer
  if (!hold) return null
  if (hold.check) {
    return (
      <>
        <CheckView check={hold.check} userId={userId} />
        <LinkButton look="ghost" className="mt-2 -ms-3" to={paths.checks}>
          {texts.all}
        </LinkButton>
      </>
    )
  }
  if (hold.reason === 'compliance') return <HoldView holdTexts={describeLists(hold)} />
  return (
    <HoldView holdTexts={describeReview(hold)}>
      {hold.reason === 'review' && <Cancel id={transfer.transaction.id} userId={userId} />}
    </HoldView>
  )
}

function Cancel({ id, userId }: { id: string; userId: number }) {
  const toast = useToast()
  const { send, isBusy, error } = useApiMutation({
    failed: () => texts.cancelFailed,
    refetches: [['held', id], ...moneyKeys(userId)],
  })
  const cancel = () => send(cancelTransfer, { params: { id } }, () => toast(texts.canceled))
  return (
    <>
      {error && <Note tone="error">{error}</Note>}
      <div>
        <Button processing={isBusy} onClick={cancel}>
          {texts.cancel}
        </Button>
      </div>
    </>
  )
}
