import '../../css/atlas.css'
import '../../css/chart-sheet.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Link, useSearchParams } from 'react-router'
import { atlas as texts } from '#messages/insight/atlas.ts'
import { toLocalDay } from '../../app/browser/local-day.ts'
import { paths } from '../../app/paths.ts'
import { listPeriods } from '../../app/periods/period-choices.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { AtlasSheet } from './AtlasSheet.tsx'
import { yearQuery } from './insight-queries.ts'

const skeleton = (
  <div className="mt-6" aria-busy="true">
    <TextSkeleton lines={8} />
  </div>
)

const readYear = (search: URLSearchParams): string | undefined => /^20\d\d$/.exec(search.get('year') ?? '')?.[0]

/** The year in the address as a map of routes around the person's country. */
export function Atlas({ user }: { user: CurrentUser }) {
  const [search] = useSearchParams()
  const today = toLocalDay(new Date())
  const year = readYear(search) ?? today.slice(0, 4)
  const query = useQuery(yearQuery(user.id, year))
  const firstMonth = query.data?.first_month ?? today.slice(0, 7)
  const listed = listPeriods('year', `${firstMonth}-01`, today).toReversed()
  const hasRoutes = query.data !== undefined && query.data.home !== null && query.data.routes.length > 0
  return (
    <div className="chart-sheet-page">
      <div className="chart-sheet-bar">
        <nav className="atlas-years" aria-label={texts.years}>
          {(listed.includes(year) ? listed : [...listed, year].toSorted()).map((one) => (
            <Link key={one} to={`${paths.atlas}?year=${one}`} aria-current={one === year ? 'page' : undefined}>
              {one}
            </Link>
          ))}
        </nav>
        {hasRoutes && <Button onClick={() => print()}>{texts.print}</Button>}
      </div>
      {!hasRoutes && <h1 className="display-m max-md:px-(--gutter)">{texts.title(year)}</h1>}
      <div className={query.isPlaceholderData ? 'opacity-60' : undefined} aria-busy={query.isPlaceholderData}>
        <DataShell query={query} skeleton={skeleton} failed={texts.failed}>
          {(data) =>
            data.home === null ? (
              <Unverified />
            ) : data.routes.length === 0 ? (
              <NoRoutes year={data.period} />
            ) : (
              <AtlasSheet year={data} home={data.home} name={user.name ?? user.username} />
            )
          }
        </DataShell>
      </div>
    </div>
  )
}

const Unverified = () => (
  <EmptyState title={texts.unverifiedTitle} text={texts.unverifiedText}>
    <LinkButton look="primary" to={paths.register}>
      {texts.verify}
    </LinkButton>
  </EmptyState>
)

const NoRoutes = ({ year }: { year: string }) => (
  <EmptyState title={texts.emptyTitle(year)} text={texts.emptyText} illustration="arcs">
    <LinkButton look="primary" to={paths.send}>
      {texts.send}
    </LinkButton>
  </EmptyState>
)
