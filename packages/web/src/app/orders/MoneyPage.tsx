import '../../css/steps.css'
import { useQuery } from '@tanstack/react-query'
import type { paymentMethods } from '@tern/contract/banking'
import type { CurrentUser } from '@tern/contract/identity'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Wallet } from '@tern/contract/wallets'
import { type ComponentType, Suspense, useState } from 'react'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { FormSkeleton } from '../../ui/feedback/FormSkeleton.tsx'
import { paymentMethodsQuery } from '../instruments/payment-methods.ts'
import { type ProviderReturn, useProviderReturn } from '../provider-page.ts'
import { walletQuery } from '../session/live.ts'
import { useUser } from '../session/session.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'

// Most people are verified.
const VerifyFirst = lazyComponent(() => import('../shell/VerifyFirst.tsx'), 'VerifyFirst')

/** What the content of a page that moves money begins with. */
export interface MoneyContent {
  user: CurrentUser
  wallet: Wallet
  /** Their cards and bank accounts; undefined until they are loaded. */
  methods: Reply<typeof paymentMethods> | undefined
  /** The cards and accounts did not load: asks for them again. */
  onRetry: (() => void) | undefined
  /** What the browser came back from the provider with. */
  returned: ProviderReturn | undefined
  /** What the page is called while it shows what became of an order, instead of its own title. */
  onOutcome: (title: string | undefined) => void
}

interface MoneyPageProps {
  title: string
  texts: { subtitle: string; walletFailed: string }
  path: string
  Content: ComponentType<MoneyContent>
}

/**
 * A page that moves money between the wallet and the world outside: for verified people, once their wallet is there. The
 * provider sends the browser back to it.
 */
export function MoneyPage({ title, texts, path, Content }: MoneyPageProps) {
  const user = useUser()
  const returned = useProviderReturn(path)
  const [outcome, setOutcome] = useState<string>()
  return (
    <>
      <h1 className="display-m">{outcome ?? title}</h1>
      {outcome === undefined && <p className="muted mt-2">{texts.subtitle}</p>}
      <Suspense fallback={<FormSkeleton />}>
        {user ? (
          <OfUser key={user.id} {...{ user, texts, returned, Content }} onOutcome={setOutcome} />
        ) : (
          <FormSkeleton />
        )}
      </Suspense>
    </>
  )
}

type OfUserProps = Pick<MoneyPageProps, 'texts' | 'Content'> & Pick<MoneyContent, 'user' | 'returned' | 'onOutcome'>

function OfUser({ texts, Content, ...rest }: OfUserProps) {
  const { user } = rest
  const isVerified = user.kyc_status === 'verified'
  const wallet = useQuery(walletQuery(user.id))
  const methods = useQuery({ ...paymentMethodsQuery(user.id), enabled: isVerified })
  if (!isVerified) return <VerifyFirst status={user.kyc_status} />
  if (wallet.data) {
    const onRetry = methods.isError ? () => void methods.refetch() : undefined
    return <Content {...rest} wallet={wallet.data} methods={methods.data} onRetry={onRetry} />
  }
  if (wallet.isError) return <ErrorState title={texts.walletFailed} onRetry={() => void wallet.refetch()} />
  return <FormSkeleton />
}
