import '../../../../css/pay-sheet.css'
import { useQuery } from '@tanstack/react-query'
import { paymentStatus } from '@tern/contract/payments'
import type { CurrentUser } from '@tern/contract/identity'
import { askForNewLink, linkAsPayer, type PaymentLink } from '@tern/contract/requests/payment-links'
import type { Transaction } from '@tern/contract/transactions'
import { type ReactNode, Suspense, useState } from 'react'
import { useSearchParams } from 'react-router'
import { pay } from '#messages/transfers/requests.ts'
import { paths } from '../../../../app/paths.ts'
import { walletQuery } from '../../../../app/session/live.ts'
import { buildQuery } from '../../../../app/session/query.ts'
import { useApiMutation } from '../../../../app/use-api-mutation.ts'
import { DataShell } from '../../../../ui/feedback/DataShell.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../../ui/feedback/Skeleton.tsx'
import { Button, LinkButton } from '../../../../ui/forms/Button.tsx'
import { Sheet } from '../../../../ui/layout/Sheet.tsx'
import { lazyComponent } from '../../../../ui/lazy-component.ts'
import { requesterName } from '../RequestSummary.tsx'
import { describeClosedState } from '../closed-state.ts'
import { LinkState, type LinkStateName } from '../LinkState.tsx'
import { OpenPaymentSheet } from './OpenPaymentSheet.tsx'
import { PaidSheet } from './PaidSheet.tsx'
import { PaySheet } from './PaySheet.tsx'
import type { SettledPayment } from './use-pay.ts'

const VerificationRequired = lazyComponent(
  () => import('../../../../app/shell/VerificationRequired.tsx'),
  'VerificationRequired',
)

interface MemberViewProps {
  user: CurrentUser
  data: string
  link: PaymentLink
  onChange: () => void
  /** Lays out a sheet beside the request; `settled` marks the request as paid. */
  renderColumns: (sheet: ReactNode, settled?: Partial<SettledPayment>) => ReactNode
}

/** A request for a member: their own, or one to pay. */
export function MemberView({ user, data, link, onChange, renderColumns }: MemberViewProps) {
  const own = useLinkAsPayer(user, data, link)
  const [settled, setSettled] = useState<SettledPayment>()
  const providerReturn = usePaymentReturn()
  const refetch = () => {
    void own.refetch()
    onChange()
  }
  if (!own.data) return renderColumns(<DataShell query={own} skeleton={<LinkSkeleton />} failed={pay.loadFailed} />)
  const { role, payments, accepted_for: acceptedFor, open_payment: open } = own.data
  if (role === 'other') return <LinkState state="other" />
  const closedState = describeClosedState(link)
  const ownPayment = settled?.payment ?? findOwnPayment(payments, closedState?.state, providerReturn.id)
  if (ownPayment?.status === 'COMPLETED') {
    return renderColumns(<PaidSheet payment={ownPayment} link={link} />, { payment: ownPayment, ...settled })
  }
  if (open) {
    return renderColumns(
      <OpenPaymentSheet
        key={open.payment_id}
        open={open}
        link={link}
        isCanceled={providerReturn.isCanceled && providerReturn.id === open.payment_id}
        onEnd={refetch}
      />,
    )
  }
  if (ownPayment) return <HoldNote />
  if (closedState) {
    const canRequestLink = closedState.state === 'expired' && role === 'payer'
    return (
      <LinkState {...closedState}>
        {canRequestLink ? <NewLinkRequest data={data} name={requesterName(link)} /> : undefined}
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
    return renderColumns(
      <Suspense>
        <VerificationRequired status={user.kyc_status} />
      </Suspense>,
    )
  }
  return renderColumns(
    <WalletPaySheet
      user={user}
      data={data}
      link={link}
      acceptedFor={acceptedFor}
      failure={providerReturn.failure}
      isAddressed={link.is_addressed}
      onPaid={(payment) => {
        setSettled(payment)
        refetch()
        scrollTo({ top: 0 })
      }}
      onChange={refetch}
    />,
  )
}

/** Loads the link as this member. Keeps the sheet and its input while the link's state changes. */
const useLinkAsPayer = (user: CurrentUser, data: string, link: PaymentLink) =>
  useQuery({
    ...buildQuery(['requests', user.id, data, link.state], linkAsPayer, { params: { data } }),
    placeholderData: (before, query) =>
      query?.queryKey[1] === user.id && query.queryKey[2] === data ? before : undefined,
  })

/** Payment by this payer to show: the one they return from, or the one that closed the request. */
function findOwnPayment(payments: readonly Transaction[], closedState: LinkStateName | undefined, returnedId?: string) {
  const returnedPayment = payments.find(
    ({ payment_id: id, status }) => id !== null && id === returnedId && status !== 'FAILED',
  )
  const [latest] = payments
  const isHeld = closedState === 'processing' && latest?.status === 'PENDING'
  return returnedPayment ?? (closedState === 'paid' || isHeld ? latest : undefined)
}

/** External payment named in the return address, and the reason for its failure. */
function usePaymentReturn() {
  const [search] = useSearchParams()
  const id = search.get('payment') ?? undefined
  const isCanceled = search.get('payment_canceled') === 'true'
  const { data: foundPayment } = useQuery({
    ...buildQuery(['returned-payment', id], paymentStatus, { params: { id: id ?? '' } }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 2000 : false),
    retry: false,
  })
  return { id, isCanceled, failure: foundPayment?.status === 'failed' ? (foundPayment.reason ?? undefined) : undefined }
}

const LinkSkeleton = () => (
  <Sheet scaleBar className="pay-sheet">
    <div className="pay-sheet-in">
      <TextSkeleton lines={5} />
    </div>
  </Sheet>
)

type WalletPaySheetProps = Omit<Parameters<typeof PaySheet>[0], 'wallet'>

function WalletPaySheet(props: WalletPaySheetProps) {
  const wallet = useQuery(walletQuery(props.user.id))
  if (wallet.data) return <PaySheet {...props} wallet={wallet.data} />
  return <DataShell query={wallet} skeleton={<LinkSkeleton />} failed={pay.loadFailed} />
}

/** Note on a payment that is not completed yet. */
const HoldNote = () => (
  <LinkState state="held">
    <LinkButton to={paths.dashboard}>{pay.openDashboard}</LinkButton>
    <LinkButton look="ghost" to={paths.transactions}>
      {pay.seeTransactions}
    </LinkButton>
  </LinkState>
)

function NewLinkRequest({ data, name }: { data: string; name: string }) {
  const [isRequested, setIsRequested] = useState(false)
  const action = useApiMutation({ failed: (error) => (error instanceof Error ? error.message : pay.failed) })
  if (isRequested) return <Note live>{pay.askedAgain(name)}</Note>
  const requestNewLink = () => action.send(askForNewLink, { params: { data } }, () => setIsRequested(true))
  return (
    <div className="grid justify-items-start gap-4">
      <Button processing={action.isBusy} onClick={requestNewLink}>
        {pay.askAgain}
      </Button>
      {action.error && <Note tone="error">{action.error}</Note>}
    </div>
  )
}
