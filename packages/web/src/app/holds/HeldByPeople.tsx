import { useQueryClient } from '@tanstack/react-query'
import { cancelTransfer, type Transfer } from '@tern/contract/transfers'
import { holds as texts } from '#messages/transfers/holds.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { paths } from '../paths.ts'
import { refreshMoney } from '../session/live.ts'
import { callApi } from '../session/session.ts'
import { useAction } from '../use-action.ts'
import { CheckView } from './CheckView.tsx'
import { HoldView } from './HoldView.tsx'
import { wordsOfLists, wordsOfReview } from './hold-words.ts'

/** A payment held for a check, for screening lists or for a review; only a review may be cancelled by the sender. */
export function HeldByPeople({ transfer, userId }: { transfer: Transfer; userId: number }) {
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
  if (hold.reason === 'compliance') return <HoldView words={wordsOfLists(hold)} />
  return (
    <HoldView words={wordsOfReview(hold)}>
      {hold.reason === 'review' && <Cancel id={transfer.transaction.id} userId={userId} />}
    </HoldView>
  )
}

function Cancel({ id, userId }: { id: string; userId: number }) {
  const toast = useToast()
  const queryClient = useQueryClient()
  const { run, isBusy, error } = useAction({
    sentenceOf: () => texts.cancelFailed,
    async onSettled() {
      await queryClient.invalidateQueries({ queryKey: ['held', id] })
      await refreshMoney(queryClient, userId)
    },
  })
  const cancel = () =>
    run(async () => {
      await callApi(cancelTransfer, { params: { id } })
      toast(texts.canceled)
    })
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
