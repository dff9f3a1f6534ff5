import '../../css/steps.css'
import { useQuery } from '@tanstack/react-query'
import type { paymentMethods } from '@tern/contract/banking'
import type { CurrentUser } from '@tern/contract/identity'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Wallet } from '@tern/contract/wallets'
import { type ComponentType, Suspense, useState } from 'react'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { FormSkeleton } from '../../ui/feedback/FormSkeleton.tsx'
import { paymentMethodsQuery } from '../instruments/payment-methods.ts'
import { type ProviderReturn, useProviderReturn } from '../provider-page.ts'
import { walletQuery } from '../session/live.ts'
import { useUser } from '../session/session.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'

// Loaded lazily: most users are verified.
const VerificationRequired = lazyComponent(() => import('../shell/VerificationRequired.tsx'), 'VerificationRequired')

/** Props of the content of a page that moves money. */
export interface MoneyContent {
  user: CurrentUser
  wallet: Wallet
  /** Cards and bank accounts; undefined until loaded. */
  methods: Reply<typeof paymentMethods> | undefined
  /** Reloads the cards and accounts; undefined unless loading failed. */
  onRetry: (() => void) | undefined
  /** Flags with which the provider's page sent the browser back; undefined without any. */
  providerReturn: ProviderReturn | undefined
  /** Replaces the page title while the outcome of an order is shown. */
  onOutcome: (title: string | undefined) => void
}

interface MoneyPageProps {
  title: string
  texts: { subtitle: string; walletFailed: string }
  path: string
  Content: ComponentType<MoneyContent>
}

/**
 * Page for deposits or withdrawals, shown to verified users once their wallet has loaded. The provider sends the
 * browser back to it.
 */
export function MoneyPage({ title, texts, path, Content }: MoneyPageProps) {
  const user = useUser()
  const providerReturn = useProviderReturn(path)
  const [outcome, setOutcome] = useState<string>()
  return (
    <>
      <h1 className="display-m">{outcome ?? title}</h1>
      {outcome === undefined && <p className="muted mt-2">{texts.subtitle}</p>}
      <Suspense fallback={<FormSkeleton />}>
        {user ? (
          <MoneyForm key={user.id} {...{ user, texts, providerReturn, Content }} onOutcome={setOutcome} />
        ) : (
          <FormSkeleton />
        )}
      </Suspense>
    </>
  )
}

type MoneyFormProps = Pick<MoneyPageProps, 'texts' | 'Content'> &
  Pick<MoneyContent, 'user' | 'providerReturn' | 'onOutcome'>

function MoneyForm({ texts, Content, ...rest }: MoneyFormProps) {
  const { user } = rest
  const isVerified = user.kyc_status === 'verified'
  const wallet = useQuery(walletQuery(user.id))
  const methods = useQuery({ ...paymentMethodsQuery(user.id), enabled: isVerified })
  if (!isVerified) return <VerificationRequired status={user.kyc_status} />
  if (wallet.data) {
    const onRetry = methods.isError ? () => void methods.refetch() : undefined
    return <Content {...rest} wallet={wallet.data} methods={methods.data} onRetry={onRetry} />
  }
  return <DataShell query={wallet} skeleton={<FormSkeleton />} failed={texts.walletFailed} />
}
