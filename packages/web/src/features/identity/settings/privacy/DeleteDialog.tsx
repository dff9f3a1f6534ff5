import { useQuery } from '@tanstack/react-query'
import { graceDays } from '@tern/contract/privacy/grace'
import { deleteAccount, type DeletionObstacle, deletionState } from '@tern/contract/privacy/privacy'
import { Link } from 'react-router'
import { account } from '#messages/identity/account.ts'
import { privacy } from '#messages/identity/privacy.ts'
import { paths } from '../../../../app/paths.ts'
import { buildQuery } from '../../../../app/session/query.ts'
import { closeSession } from '../../../../app/session/session.ts'
import { callWithStepUp, notConfirmed } from '../../../../app/step-up/step-up.ts'
import { useAction } from '../../../../app/use-action.ts'
import { DataShell } from '../../../../ui/feedback/DataShell.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { SkeletonLine } from '../../../../ui/feedback/Skeleton.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { formatDate, formatMoney } from '../../../../ui/format/format.ts'
import { textLocale } from '../../../../ui/format/locale.ts'
import { Icon } from '../../../../ui/icon/Icon.tsx'
import { Dialog } from '../../../../ui/layout/Dialog.tsx'
import { describeError } from '../../errors.ts'

const obstacleList =
  '[&>li>a]:flex [&>li>a]:gap-3 [&>li>a]:items-center [&>li>a]:justify-between [&>li>a]:min-h-14 ' +
  '[&>li>a]:py-2.5 [&>li>a]:no-underline [&>li>a]:border-b [&>li>a:hover_b]:underline ' +
  '[&>li>a_b]:font-medium'

interface DialogProps {
  userId: number
  onClose: () => void
}

/**
 * Obstacles to deleting the account, each with a link to resolve it; without any, the consequences of deletion and the
 * deadline for canceling it.
 */
export function DeleteDialog({ userId, onClose }: DialogProps) {
  const state = useQuery({
    ...buildQuery(['privacy', userId], deletionState, {}),
    // Money may have arrived since the dialog was last open.
    staleTime: 0,
    gcTime: 0,
  })
  const isBlocked = state.data !== undefined && state.data.obstacles.length > 0
  return (
    <Dialog open onClose={onClose} title={isBlocked ? privacy.notYet : privacy.sureTitle} size="small">
      <DataShell
        query={state}
        skeleton={
          <div className="mt-4 grid gap-3" aria-busy="true" aria-label={privacy.checking}>
            <SkeletonLine className="w-4/5" />
            <SkeletonLine className="w-3/5" />
          </div>
        }
        failed={privacy.checkFailed}
      >
        {({ obstacles, due_at: dueAt, identity_kept_until: retainedUntil }) =>
          isBlocked ? (
            <Obstacles obstacles={obstacles} onClose={onClose} />
          ) : (
            <FinalConfirmation {...{ dueAt, retainedUntil, onClose }} onRefused={() => void state.refetch()} />
          )
        }
      </DataShell>
    </Dialog>
  )
}

/** Page where each obstacle is resolved. */
const obstaclePaths: Readonly<Record<DeletionObstacle['code'], string>> = {
  balance: paths.wallet,
  on_hold: paths.transactions,
  transfer_open: paths.transactions,
  incoming_open: paths.transactions,
  payment_open: paths.transactions,
  payout_open: paths.transactions,
  payout_recent: paths.transactions,
  order_open: paths.orders,
  schedule_open: paths.scheduled,
  request_open: paths.receive,
  case_open: paths.transactions,
  check_open: paths.checks,
  dispute_open: paths.disputes,
  verification_running: paths.profile,
}

function describeObstacle({ code, count, amounts }: DeletionObstacle): string {
  if (code !== 'balance' && code !== 'on_hold') return privacy.obstacles[code](count)
  const amountTexts = amounts.map(({ amount, currency }) => formatMoney(amount, currency))
  return privacy.obstacles[code](new Intl.ListFormat(textLocale()).format(amountTexts))
}

function Obstacles({ obstacles, onClose }: { obstacles: readonly DeletionObstacle[]; onClose: () => void }) {
  return (
    <>
      <p className="muted mt-2">{privacy.notYetText(obstacles.length)}</p>
      <ul className={`mt-4 ${obstacleList}`}>
        {obstacles.map((obstacle) => (
          <li key={obstacle.code}>
            <Link to={obstaclePaths[obstacle.code]}>
              <span>
                <b>{describeObstacle(obstacle)}</b>
                <span className="small muted block">{privacy.waysOut[obstacle.code]}</span>
              </span>
              <Icon name="next" />
            </Link>
          </li>
        ))}
      </ul>
      <div className="form-actions mt-6">
        <Button big onClick={onClose}>
          {privacy.close}
        </Button>
      </div>
    </>
  )
}

interface FinalConfirmationProps {
  dueAt: string
  retainedUntil: string | null
  onClose: () => void
  /** Called after a failed deletion, since an obstacle may have appeared in the meantime. */
  onRefused: () => void
}

function FinalConfirmation({ dueAt, retainedUntil, onClose, onRefused }: FinalConfirmationProps) {
  const toast = useToast()
  const { run, isBusy, error } = useAction({
    failed: (cause) => {
      onRefused()
      return describeError(cause, privacy.deleteFailed)
    },
  })
  const closeAccount = () =>
    run(async () => {
      const deletion = await callWithStepUp(deleteAccount, {})
      if (deletion === notConfirmed) return toast(account.notConfirmed, 'info')
      closeSession(privacy.begun(formatDate(deletion.due_at)))
    })
  const facts = [
    [privacy.goneAtOnce, privacy.goneAtOnceText],
    [privacy.goneLater(formatDate(dueAt)), privacy.goneLaterText],
    ...(retainedUntil === null ? [] : [[privacy.sealed, privacy.sealedText(formatDate(retainedUntil))]]),
    [privacy.stays, privacy.staysText],
  ]
  return (
    <>
      <dl className="mt-4 grid gap-4">
        {facts.map(([term, text]) => (
          <div key={term}>
            <dt className="small muted">{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 grid gap-3">
        <Note>{privacy.graceText(graceDays, formatDate(dueAt))}</Note>
        {error && <Note tone="error">{error}</Note>}
      </div>
      <div className="form-actions mt-6 max-sm:flex-col-reverse">
        <Button big disabled={isBusy} onClick={onClose}>
          {privacy.keep}
        </Button>
        <Button look="primary" big className="grow" processing={isBusy} onClick={closeAccount}>
          {privacy.deleteNow}
        </Button>
      </div>
    </>
  )
}
