import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { useEffect } from 'react'
import { Outlet } from 'react-router'
import { account } from '#messages/identity/account.ts'
import { shell, titles } from '#messages/shell.ts'
import { walletQuery } from '../../app/session/live.ts'
import { refetchUser, useUser } from '../../app/session/session.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { AboutForm } from './profile/AboutForm.tsx'
import { EmailPart } from './profile/EmailPart.tsx'
import { NumberCard, NumberCardSkeleton } from './profile/NumberCard.tsx'
import { Entry, EntrySkeleton, RuledSection } from '../../ui/layout/RuledSection.tsx'

/** Public profile and email of the user, then the child route and, once verified, the wallet's currency. */
export default function Profile() {
  const user = useUser()
  const isKnown = user !== undefined
  useEffect(() => {
    if (!isKnown) return
    // The address may have been confirmed in another tab or on another device.
    const refetchIfVisible = () => void (document.visibilityState === 'visible' && refetchUser())
    document.addEventListener('visibilitychange', refetchIfVisible)
    return () => document.removeEventListener('visibilitychange', refetchIfVisible)
  }, [isKnown])
  return (
    <>
      <h1 className="display-m mb-6">{titles.profile}</h1>
      {user ? <UserProfile key={user.id} user={user} /> : <Skeletons />}
    </>
  )
}

function UserProfile({ user }: { user: CurrentUser }) {
  return (
    <>
      <NumberCard user={user} />
      <RuledSection title={account.aboutTitle} text={account.aboutText}>
        <AboutForm user={user} />
      </RuledSection>
      <RuledSection title={account.emailTitle} text={account.emailText}>
        <EmailPart user={user} />
      </RuledSection>
      <Outlet />
      {user.kyc_status === 'verified' && (
        <RuledSection title={account.walletTitle} text={account.walletText}>
          <WalletPart userId={user.id} />
        </RuledSection>
      )}
    </>
  )
}

function WalletPart({ userId }: { userId: number }) {
  const { data: wallet, isError } = useQuery(walletQuery(userId))
  if (isError) return <p className="muted">{account.loadFailed}</p>
  if (!wallet) return <EntrySkeleton />
  const name = new Intl.DisplayNames(textLocale(), { type: 'currency' }).of(wallet.base_currency)
  return <Entry title={name ?? wallet.base_currency} text={`${account.walletCurrency}, ${wallet.base_currency}`} />
}

function Skeletons() {
  const parts = [
    [account.aboutTitle, account.aboutText],
    [account.emailTitle, account.emailText],
  ] as const
  return (
    <div aria-busy="true" aria-label={shell.loading}>
      <NumberCardSkeleton />
      {parts.map(([title, text]) => (
        <RuledSection key={title} title={title} text={text}>
          <SkeletonLine className="h-12 w-full" />
          <SkeletonLine className="h-12 w-full" />
        </RuledSection>
      ))}
    </div>
  )
}
