import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { wallets } from '#messages/wallets.ts'
import { hasOpenConversion } from '../../app/exchange/conversion-order.ts'
import { FormSkeleton } from '../../ui/feedback/FormSkeleton.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Disclosure } from '../../ui/disclosure/Disclosure.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const VerifyFirst = lazyComponent(() => import('../../app/shell/VerifyFirst.tsx'), 'VerifyFirst')
const ConversionForm = lazyComponent(() => import('./ConversionForm.tsx'), 'ConversionForm')

/** Conversion into cryptocurrency and back; collapsed by default, open while a conversion is unanswered. */
export function Protection({ user, wallet }: { user: CurrentUser; wallet: Wallet }) {
  return (
    <Disclosure
      icon={<ExtraIcon name="shield" />}
      title={wallets.protection}
      text={wallets.protectionText}
      startsOpen={hasOpenConversion(user.id)}
    >
      <div className="protection">
        <Suspense fallback={<FormSkeleton />}>
          {user.kyc_status === 'verified' ? (
            <ConversionForm userId={user.id} wallet={wallet} />
          ) : (
            <VerifyFirst status={user.kyc_status} />
          )}
        </Suspense>
        <Reasons />
      </div>
    </Disclosure>
  )
}

const reasonIcons = [
  <ExtraIcon key="shield" name="shield" />,
  <ExtraIcon key="globe" name="globe" />,
  <Icon key="lock" name="lock" />,
]

function Reasons() {
  return (
    <section>
      <h3 className="mb-3 font-medium">{wallets.why}</h3>
      <ul className="reasons">
        {wallets.reasons.map(({ title, text }, index) => (
          <li key={title}>
            {reasonIcons[index]}
            <span>
              <b>{title}</b>
              {text}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
