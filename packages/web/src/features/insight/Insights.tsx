import '../../css/insight.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { insights as texts } from '#messages/insight/insights.ts'
import { titles } from '#messages/shell.ts'
import { toLocalDay } from '../../app/browser/local-day.ts'
import { type FigureChoice, readInsightAddress, writeInsightQuery } from '../../app/insight-address.ts'
import { paths } from '../../app/paths.ts'
import { PeriodForm } from '../../app/periods/PeriodForm.tsx'
import { nameKind } from '../../app/periods/period-choices.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Figures } from './Figures.tsx'
import { flowsQuery } from './insight-queries.ts'

const FigureDialog = lazyComponent(() => import('./FigureDialog.tsx'), 'FigureDialog')
const YearCosts = lazyComponent(() => import('./YearCosts.tsx'), 'YearCosts')

const skeleton = (
  <div className="mt-6" aria-busy="true">
    <TextSkeleton lines={8} />
  </div>
)

/** Figures of the balance and period in the address, and the cost of that year's transfers. */
export function Insights({ user }: { user: CurrentUser }) {
  const [search, setSearch] = useSearchParams()
  const address = readInsightAddress(search)
  const today = toLocalDay(new Date())
  const period = address.period ?? nameKind('month', today)
  const flows = useQuery(flowsQuery(user.id, period))
  if (!flows.data)
    return (
      <>
        <Head />
        <DataShell query={flows} skeleton={skeleton} failed={texts.failed} />
      </>
    )
  const { balances, base_currency: base, first_month: firstMonth } = flows.data
  if (firstMonth === null) return <NewAccount />
  const currency = address.currency ?? base
  const codes = balances.map((one) => one.currency)
  const year = period.slice(0, 4)
  const open = (figure: FigureChoice | undefined) =>
    setSearch(writeInsightQuery(currency, period, figure), { preventScrollReset: true })
  return (
    <>
      <Head />
      <PeriodForm
        key={period}
        currency={currency}
        currencies={codes.includes(currency) ? codes : [...codes, currency]}
        period={{ period }}
        since={`${firstMonth}-01`}
        today={today}
        onChange={(nextCurrency, next) =>
          'period' in next && setSearch(writeInsightQuery(nextCurrency, next.period), { preventScrollReset: true })
        }
      />
      <OfflineNote className="mt-6" readAt={flows.dataUpdatedAt} />
      <div className={flows.isPlaceholderData ? 'opacity-60' : undefined} aria-busy={flows.isPlaceholderData}>
        <Figures
          userId={user.id}
          balance={balances.find((one) => one.currency === currency)}
          currency={currency}
          period={period}
        />
      </div>
      <Suspense fallback={skeleton}>
        <YearCosts key={year} userId={user.id} year={year} />
      </Suspense>
      {address.figure && (
        <Suspense>
          <FigureDialog
            key={search.toString()}
            userId={user.id}
            currency={currency}
            period={period}
            figure={address.figure}
            counterparties={balances.flatMap((one) => one.counterparties)}
            onClose={() => open(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}

const Head = () => (
  <>
    <h1 className="display-m">{titles.insights}</h1>
    <p className="muted mt-2">{texts.intro}</p>
  </>
)

const NewAccount = () => (
  <>
    <Head />
    <EmptyState title={texts.newTitle} text={texts.newText}>
      <LinkButton look="primary" to={paths.deposit}>
        {texts.addMoney}
      </LinkButton>
    </EmptyState>
  </>
)
