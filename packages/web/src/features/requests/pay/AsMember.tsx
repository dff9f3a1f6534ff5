import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { askForNewLink, linkAsPayer, type PaymentLink } from '@tern/contract/requests/payment-links'
import type { Transaction } from '@tern/contract/transactions'
import { type ReactNode, Suspense, useState } from 'react'
import { pay } from '#messages/transfers/requests.ts'
import { paths } from '../../../app/paths.ts'
import { walletQuery } from '../../../app/session/live.ts'
import { callApi } from '../../../app/session/session.ts'
import { useAction } from '../../../app/use-action.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { formatDate } from '../../../ui/format/format.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { add, parseDecimal, toDecimal } from '@tern/money/money'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { requesterName } from './Asked.tsx'
import { closedStateOf } from './closed-state.ts'
import { LinkState } from './LinkState.tsx'
import { PaySheet } from './PaySheet.tsx'

const VerifyFirst = lazyComponent(() => import('../../../app/shell/VerifyFirst.tsx'), 'VerifyFirst')

interface AsMemberProps {
  user: CurrentUser
  data: string
  link: PaymentLink
  /** Asks for the link's state again. */
  onChange: () => void
  beside: (sheet: ReactNode) => ReactNode
}

/** A request as somebody sees it who is signed in: theirs, or theirs to pay. */
export function AsMember({ user, data, link, onChange, beside }: AsMemberProps) {
  const own = useQuery({
    queryKey: ['requests', user.id, 'link', data, link.state],
    queryFn: ({ signal }) => callApi(linkAsPayer, { params: { data } }, signal),
    // The sheet stays while its link's state changes, with what is typed in it.
    placeholderData: (before, query) =>
      query?.queryKey[1] === user.id && query.queryKey[3] === data ? before : undefined,
  })
  const [paid, setPaid] = useState<Transaction>()
  const refetch = () => {
    void own.refetch()
    onChange()
  }
  if (!own.data) {
    if (!own.isError)
      return beside(
        <Sheet scaleBar className="pay-sheet">
          <div className="p-6">
            <TextSkeleton lines={5} />
          </div>
        </Sheet>,
      )
    return beside(<ErrorState title={pay.loadFailed} onRetry={() => void own.refetch()} />)
  }
  const { role, payments, accepted_for: acceptedFor } = own.data
  const mine = paid ?? payments[0]
  if (role === 'other') return <LinkState state="other" />
  const closed = closedStateOf(link)
  if (mine && (closed?.state === 'paid' || paid)) return <Paid payment={mine} link={link} />
  if (closed) {
    return (
      <LinkState {...closed}>
        {closed.state === 'expired' && role === 'payer' ? (
          <AskAgain data={data} name={requesterName(link)} />
        ) : undefined}
      </LinkState>
    )
  }
  if (role === 'requester') {
    return (
      <LinkState state="own">
        <LinkButton to={paths.receive}>{pay.toRequests}</LinkButton>
      </LinkState>
    )
  }
  if (user.kyc_status !== 'verified') {
    return beside(
      <Suspense>
        <VerifyFirst status={user.kyc_status} />
      </Suspense>,
    )
  }
  return beside(
    <OfWallet
      {...{ user, data, link }}
      recipientId={own.data.recipient_id}
      isAddressed={link.is_addressed}
      acceptedFor={acceptedFor}
      onPaid={(payment) => {
        setPaid(payment)
        refetch()
        scrollTo({ top: 0 })
      }}
      onChange={refetch}
    />,
  )
}

type OfWalletProps = Omit<Parameters<typeof PaySheet>[0], 'wallet'>

function OfWallet(props: OfWalletProps) {
  const wallet = useQuery(walletQuery(props.user.id))
  if (wallet.data) return <PaySheet {...props} wallet={wallet.data} />
  if (wallet.isError) return <ErrorState title={pay.loadFailed} onRetry={() => void wallet.refetch()} />
  return (
    <Sheet scaleBar className="pay-sheet">
      <div className="p-6">
        <TextSkeleton lines={5} />
      </div>
    </Sheet>
  )
}

/** What the payer has paid of a request, as they are told for good. */
function Paid({ payment, link }: { payment: Transaction; link: PaymentLink }) {
  const { source_amount, source_currency, fee, target_amount, target_currency, status, timestamp } = payment
  const total = add(parseDecimal(source_currency, source_amount), parseDecimal(source_currency, fee))
  const paid = formatExactWithSign(toDecimal(total), source_currency)
  const got = formatExactWithSign(target_amount, target_currency)
  const text = pay.paidByYou(paid, formatDate(timestamp), requesterName(link), got)
  return (
    <LinkState state={status === 'COMPLETED' ? 'paid' : 'held'} text={status === 'COMPLETED' ? text : undefined}>
      <LinkButton to={paths.dashboard}>{pay.openDashboard}</LinkButton>
      <LinkButton look="ghost" to={paths.transactions}>
        {pay.seeTransactions}
      </LinkButton>
    </LinkState>
  )
}

function AskAgain({ data, name }: { data: string; name: string }) {
  const [isAsked, setIsAsked] = useState(false)
  const action = useAction({ sentenceOf: (error) => (error instanceof Error ? error.message : pay.failed) })
  if (isAsked) return <Note live>{pay.askedAgain(name)}</Note>
  const ask = async () => {
    await callApi(askForNewLink, { params: { data } })
    setIsAsked(true)
  }
  return (
    <div className="grid justify-items-start gap-4">
      <Button processing={action.isBusy} onClick={() => action.run(ask)}>
        {pay.askAgain}
      </Button>
      {action.error && <Note tone="error">{action.error}</Note>}
    </div>
  )
}
