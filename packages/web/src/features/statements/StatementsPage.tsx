import '../../css/statements.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { shell, titles } from '#messages/shell.ts'
import { statements as texts } from '#messages/statements/statements.ts'
import { toLocalDay } from '../../app/browser/local-day.ts'
import { walletQuery } from '../../app/session/live.ts'
import { useUser } from '../../app/session/session.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { nameKind } from '../../app/periods/period-choices.ts'
import { PeriodForm } from '../../app/periods/PeriodForm.tsx'
import { Statement } from './Statement.tsx'
import { readAddress, writeAddress } from './statement-address.ts'
import { usedCurrenciesQuery } from './statement-queries.ts'

const MonthlyMail = lazyComponent(() => import('./MonthlyMail.tsx'), 'MonthlyMail')
const Certificates = lazyComponent(() => import('./certificates/Certificates.tsx'), 'Certificates')
const BalanceProof = lazyComponent(() => import('./proof/BalanceProof.tsx'), 'BalanceProof')

export const meta = () => [{ title: shell.pageTitle(titles.statements) }]

/** Statement of the balance and period in the address, the monthly email, certificates of balance, and the proof of it. */
export default function StatementsPage() {
  const user = useUser()
  return (
    <>
      <h1 className="display-m">{titles.statements}</h1>
      <p className="muted mt-2">{texts.intro}</p>
      {user ? <Content user={user} /> : <PageSkeleton />}
    </>
  )
}

const PageSkeleton = () => (
  <div className="mt-8" aria-busy="true">
    <TextSkeleton lines={8} />
  </div>
)

function Content({ user }: { user: CurrentUser }) {
  const [address, setAddress] = useSearchParams()
  const walletState = useQuery(walletQuery(user.id))
  const currencies = useQuery(usedCurrenciesQuery(walletState.data))
  const wallet = walletState.data
  if (!wallet) return <DataShell query={walletState} skeleton={<PageSkeleton />} failed={texts.failed} />
  const today = toLocalDay(new Date())
  const since = toLocalDay(new Date(user.created_at))
  const requested = readAddress(address)
  const currency = requested.currency ?? wallet.base_currency
  const period = requested.period ?? { period: nameKind('month', today) }
  const choices = currencies.data ?? [wallet.base_currency]
  return (
    <>
      <PeriodForm
        key={JSON.stringify(period)}
        currency={currency}
        currencies={choices.includes(currency) ? choices : [...choices, currency]}
        period={period}
        since={since}
        today={today}
        hasDates
        onChange={(nextCurrency, nextPeriod) =>
          setAddress(writeAddress(nextCurrency, nextPeriod), { preventScrollReset: true })
        }
      />
      <Statement userId={user.id} currency={currency} period={period} />
      <div className="mt-12">
        <Suspense>
          <MonthlyMail userId={user.id} />
          <Certificates userId={user.id} today={today} since={since} />
          <BalanceProof userId={user.id} />
        </Suspense>
      </div>
    </>
  )
}
