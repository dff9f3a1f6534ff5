import { type PaymentRequest, remindPayer } from '@tern/contract/requests/requests'
import { cancelSplit, remindSplit, type Split } from '@tern/contract/requests/splits'
import { Suspense, useState } from 'react'
import { split } from '#messages/transfers/split.ts'
import { callApi } from '../../../app/session/session.ts'
import { useApiMutation } from '../../../app/use-api-mutation.ts'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { shortCounterparty } from '../../../ui/money/activity.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { chooseGroup } from '../request-state.ts'

const ConfirmDialog = lazyComponent(() => import('../../../ui/layout/ConfirmDialog.tsx'), 'ConfirmDialog')

/** Checks whether a reminder is allowed: the part can be paid, and no reminder was sent in the last three days. */
export const canRemind = (request: PaymentRequest): boolean =>
  chooseGroup(request) === 'waiting' &&
  request.state !== 'processing' &&
  request.remind_from !== null &&
  new Date(request.remind_from) <= new Date()

interface Question {
  title: string
  text: string
  action: string
  cancel: string
  work: () => Promise<unknown>
  successText: string
}

/** Actions on a split, each with a confirmation. */
export function useSplitActions(userId: number, data: Split) {
  const toast = useToast()
  const { run } = useApiMutation({
    failed: split.actionFailed,
    onFailed: (why) => toast(why, 'warning'),
    refetches: [['requests', userId]],
  })
  const [question, setQuestion] = useState<Question>()
  const params = { id: data.id }

  function execute({ work, successText }: Question): void {
    setQuestion(undefined)
    run(async () => {
      await work()
      toast(successText)
    })
  }

  const dialog = question && (
    <Suspense>
      <ConfirmDialog
        title={question.title}
        text={question.text}
        action={question.action}
        cancel={question.cancel}
        onConfirm={() => execute(question)}
        onClose={() => setQuestion(undefined)}
      />
    </Suspense>
  )
  return {
    dialog,
    /** Asks for confirmation, then reminds one participant, or all who may be reminded. */
    promptRemind(request: PaymentRequest | undefined) {
      const due = data.parts.filter((part) => canRemind(part.request)).length
      const texts = request
        ? {
            title: split.remindTitle(shortCounterparty({ counterparty: request.payer })),
            text: split.remindText(formatExact(request.remaining_amount, request.currency)),
            action: split.sendReminder,
          }
        : { title: split.remindAllTitle(due), text: split.remindAllText, action: split.sendReminders }
      setQuestion({
        ...{ ...texts, cancel: split.cancel, successText: split.reminded },
        work: () => (request ? callApi(remindPayer, { params: { id: request.id } }) : callApi(remindSplit, { params })),
      })
    },
    promptCancel() {
      setQuestion({
        ...{ title: split.cancelTitle, text: split.cancelText, action: split.cancelRest, cancel: split.keep },
        ...{ work: () => callApi(cancelSplit, { params }), successText: split.canceled },
      })
    },
  }
}
