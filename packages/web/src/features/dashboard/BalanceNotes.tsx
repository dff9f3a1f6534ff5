import '../../css/hold-notice.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { dashboard } from '#messages/home/dashboard.ts'
import { holds as texts } from '#messages/transfers/holds.ts'
import { checksQuery } from '../../app/holds/check-queries.ts'
import { chooseKind } from '../../app/holds/hold-texts.ts'
import { paths } from '../../app/paths.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatDateTime, formatMoney, isZero } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

// Loaded lazily: most users are verified.
const VerificationNote = lazyComponent(() => import('./FirstSteps.tsx'), 'VerificationNote')

/** Notes below the balance: pending and held money, and the next step of an unverified user. */
export function BalanceNotes({ wallet, status }: { wallet: Wallet; status: CurrentUser['kyc_status'] }) {
  return (
    <>
      <WalletTags wallet={wallet} />
      {status !== 'verified' && (
        <Suspense>
          <VerificationNote status={status} />
        </Suspense>
      )}
    </>
  )
}

export function WalletTags({ wallet }: { wallet: Wallet }) {
  const { base_currency: currency, pending, assets } = wallet
  const heldAmount = assets.find((asset) => asset.currency === currency)?.held ?? '0'
  if (isZero(pending) && isZero(heldAmount)) return null
  return (
    <div className="flex flex-wrap gap-2 mt-4 [&_.icon]:text-wait [&_.icon]:stroke-2">
      {!isZero(pending) && (
        <span className="tag">
          <Icon name="clock" small />
          {dashboard.pending(formatMoney(pending, currency, { sign: 'always' }))}
        </span>
      )}
      {!isZero(heldAmount) && (
        <span className="tag">
          <Icon name="pause" small />
          {dashboard.onHold(formatMoney(heldAmount, currency))}
        </span>
      )}
    </div>
  )
}

/** Notice above the balance while money is on hold: the open check or their number, a deadline, and a link. */
export function HoldNotice({ wallet, user }: { wallet: Wallet; user: CurrentUser }) {
  const hasHeldMoney = wallet.assets.some(({ held }) => !isZero(held))
  const { data } = useQuery({ ...checksQuery(user.id), enabled: hasHeldMoney })
  const open = data?.filter(({ state }) => state === 'open') ?? []
  // A check that needs information from the user comes first.
  const first = open.find(({ need_by: answerDeadline }) => answerDeadline !== null) ?? open[0]
  if (!hasHeldMoney || !first) return null
  const { need_by: answerDeadline, decide_by: decisionDeadline } = first
  return (
    <section
      className="hold-notice [border-start-end-radius:var(--radius)] [border-end-end-radius:var(--radius)] grid grid-cols-[20px_minmax(0,1fr)_auto] col-span-full gap-x-4 gap-y-0.5 items-center mb-6 py-3 px-5 border-s-[3px] border-s-wait bg-water max-sm:grid-cols-[20px_minmax(0,1fr)]"
      aria-label={texts.title}
    >
      <Icon name="pause" />
      <div>
        <p className="font-medium">
          {open.length === 1 ? texts.notice.one(texts.kinds[chooseKind(first)]) : texts.notice.several(open.length)}
        </p>
        <p className="small muted">
          {answerDeadline
            ? texts.notice.asks(formatDateTime(answerDeadline))
            : texts.notice.nothing(formatDateTime(decisionDeadline))}
        </p>
      </div>
      <LinkButton look="ghost" iconAfter="next" to={open.length === 1 ? `${paths.checks}/${first.id}` : paths.checks}>
        {texts.notice.see}
      </LinkButton>
    </section>
  )
}
