import { Suspense } from 'react'
import { useLocation } from 'react-router'
import { titles } from '#messages/shell.ts'
import { paths } from '../../app/paths.ts'
import { useUser } from '../../app/session/session.ts'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

// One route module, loaded in parts: every page lists what the module of each route loads at once.
const Insights = lazyComponent(() => import('./Insights.tsx'), 'Insights')
const Atlas = lazyComponent(() => import('./Atlas.tsx'), 'Atlas')

/** Pages of insight: figures with the cost of a year, and the atlas of a year. */
export default function InsightPages() {
  const user = useUser()
  const isAtlas = useLocation().pathname.startsWith(paths.atlas)
  const Page = isAtlas ? Atlas : Insights
  const skeleton = <Skeleton title={isAtlas ? titles.atlas : titles.insights} />
  return <Suspense fallback={skeleton}>{user ? <Page user={user} /> : skeleton}</Suspense>
}

const Skeleton = ({ title }: { title: string }) => (
  <>
    <h1 className="display-m">{title}</h1>
    <div className="mt-6" aria-busy="true">
      <TextSkeleton lines={8} />
    </div>
  </>
)
