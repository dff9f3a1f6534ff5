import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { openLosses, payLoss } from '@tern/contract/payments/losses'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { losses as texts } from '#messages/identity/losses.ts'
import { paths } from '../../../app/paths.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { callApi } from '../../../app/session/session.ts'
import { useAction } from '../../../app/use-action.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { StatusBadge } from '../../../ui/feedback/StatusBadge.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { formatDate, formatMoney } from '../../../ui/format/format.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { Entry, RuledSection } from '../../../ui/layout/RuledSection.tsx'

type Loss = Reply<typeof openLosses>['losses'][number]

const lossesQuery = (userId: number) =>
  queryOptions({
    queryKey: ['losses', userId],
    queryFn: ({ signal }) => callApi(openLosses, {}, signal),
  })

/** What is missing of money that was taken back, why, and paying it from the wallet. Nothing is shown where nothing is missing. */
export function LossSection({ userId }: { userId: number }) {
  const { data, isError, refetch } = useQuery(lossesQuery(userId))
  if (isError && !data) return <ErrorState title={texts.loadFailed} onRetry={() => void refetch()} />
  if (!data || data.losses.length === 0) return null
  return (
    <RuledSection title={texts.title} text={texts.text}>
      {data.losses.map((loss) => (
        <LossEntry key={loss.payment_id} userId={userId} loss={loss} />
      ))}
    </RuledSection>
  )
}

function LossEntry({ userId, loss }: { userId: number; loss: Loss }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const amount = formatMoney(loss.amount, loss.currency)
  const { run, isBusy, error } = useAction({
    sentenceOf: (cause) => (cause instanceof Error && cause.message ? cause.message : texts.failed),
    onSettled: () => queryClient.invalidateQueries({ queryKey: lossesQuery(userId).queryKey }),
  })
  const pay = () =>
    run(async () => {
      await callApi(payLoss, { params: { id: loss.payment_id }, body: { expected_total: loss.amount } })
      toast(texts.paid(amount))
      await refreshMoney(queryClient, userId)
    })
  return (
    <>
      {error && <Note tone="error">{error}</Note>}
      <Entry
        title={<StatusBadge state="open">{texts.missing(amount)}</StatusBadge>}
        text={texts.takenBack(formatDate(loss.taken_back_at))}
      >
        <LinkButton icon="deposit" to={paths.deposit}>
          {texts.addFunds}
        </LinkButton>
        <Button processing={isBusy} onClick={pay}>
          {texts.pay(amount)}
        </Button>
      </Entry>
    </>
  )
}
