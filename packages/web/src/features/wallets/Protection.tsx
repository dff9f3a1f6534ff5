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

const VerificationRequired = lazyComponent(
  () => import('../../app/shell/VerificationRequired.tsx'),
  'VerificationRequired',
)
const ConversionForm = lazyComponent(() => import('./ConversionForm.tsx'), 'ConversionForm')

/** Conversion into cryptocurrency and back; collapsed by default, open while a conversion is unanswered. */
export function Protection({ user, wallet }: { user: CurrentUser; wallet: Wallet }) {
  return (
    <Disclosure
      icon={<ExtraIcon name="shield" />}
      title={wallets.protection}
      text={wallets.protectionText}
      defaultOpen={hasOpenConversion(user.id)}
    >
      <div className="grid grid-cols-2 gap-10 max-xl:grid-cols-1 max-xl:gap-6">
        <Suspense fallback={<FormSkeleton />}>
          {user.kyc_status === 'verified' ? (
            <ConversionForm userId={user.id} wallet={wallet} />
          ) : (
            <VerificationRequired status={user.kyc_status} />
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
      <ul className="[&_li_.icon]:text-sea">
        {wallets.reasons.map(({ title, text }, index) => (
          <li className="border-t text-small grid grid-cols-[24px_1fr] gap-x-3 gap-y-0 py-3 text-ink-2" key={title}>
            {reasonIcons[index]}
            <span>
              <b className="text-control font-medium block text-ink">{title}</b>
              {text}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
