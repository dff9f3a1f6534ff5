import '../../../css/rule.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense, useState } from 'react'
import { protection as texts } from '#messages/exchange/protection.ts'
import { shell, titles } from '#messages/shell.ts'
import { walletQuery } from '../../../app/session/live.ts'
import { useUser } from '../../../app/session/session.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { OfflineNote } from '../../../ui/feedback/OfflineNote.tsx'
import { SkeletonLine } from '../../../ui/feedback/Skeleton.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { combineQueries } from '../../../ui/feedback/combine-queries.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { type RuleEdit, rulesQuery } from './rules.ts'

const protectionHead = 'flex gap-4 items-center justify-between min-h-11 mt-8 mb-4 max-md:mt-5 max-md:mb-2'

const RuleCard = lazyComponent(() => import('./RuleCard.tsx'), 'RuleCard')
// Loaded lazily: opened on request.
const RuleDialog = lazyComponent(() => import('./RuleDialog.tsx'), 'RuleDialog')
// Loaded lazily: most users are verified.
const VerificationRequired = lazyComponent(
  () => import('../../../app/shell/VerificationRequired.tsx'),
  'VerificationRequired',
)

export default function Protection() {
  const user = useUser()
  return (
    <>
      <h1 className="display-m">{titles.protection}</h1>
      {!user ? (
        <Skeletons />
      ) : user.kyc_status === 'verified' ? (
        <UserProtection key={user.id} user={user} />
      ) : (
        <Suspense fallback={<Skeletons />}>
          <VerificationRequired status={user.kyc_status} />
        </Suspense>
      )}
    </>
  )
}

function UserProtection({ user }: { user: CurrentUser }) {
  const wallet = useQuery(walletQuery(user.id))
  const rules = useQuery(rulesQuery(user.id))
  const [ruleEdit, setRuleEdit] = useState<RuleEdit>()
  if (!wallet.data || !rules.data) {
    return <DataShell query={combineQueries({ wallet, rules })} skeleton={<Skeletons />} failed={texts.loadFailed} />
  }
  const { rules: all, most: maxRules } = rules.data
  const isFull = all.length >= maxRules
  return (
    <>
      <OfflineNote className="mt-6" readAt={Math.min(wallet.dataUpdatedAt, rules.dataUpdatedAt)} />
      <div className={protectionHead}>
        <p className="small muted">{texts.lead}</p>
        {all.length > 0 && !isFull && (
          <Button icon="plus" onClick={() => setRuleEdit({})}>
            {texts.newRule}
          </Button>
        )}
      </div>
      {isFull && <p className="small muted mb-4">{texts.most(maxRules)}</p>}
      {all.length === 0 ? (
        <EmptyState illustration="safe" title={texts.emptyTitle} text={texts.emptyText}>
          <Button look="primary" icon="plus" onClick={() => setRuleEdit({})}>
            {texts.newRule}
          </Button>
        </EmptyState>
      ) : (
        <Suspense fallback={<RulesSkeleton />}>
          <ul className="grid grid-cols-2 gap-x-12 gap-y-6 max-xl:grid-cols-1">
            {all.map((rule) => (
              <li key={rule.id}>
                <RuleCard
                  userId={user.id}
                  rule={rule}
                  wallet={wallet.data}
                  onEdit={(part) => setRuleEdit({ rule, part })}
                />
              </li>
            ))}
          </ul>
        </Suspense>
      )}
      {ruleEdit && (
        <Suspense>
          <RuleDialog userId={user.id} wallet={wallet.data} {...ruleEdit} onClose={() => setRuleEdit(undefined)} />
        </Suspense>
      )}
    </>
  )
}

function Skeletons() {
  return (
    <div aria-busy="true" aria-label={shell.loading}>
      <div className={protectionHead}>
        <SkeletonLine className="w-2/5" />
      </div>
      <RulesSkeleton />
    </div>
  )
}

const RulesSkeleton = () => (
  <div className="grid grid-cols-2 gap-x-12 gap-y-6 max-xl:grid-cols-1">
    {[1, 2].map((key) => (
      <div key={key} className="grid gap-6 border-t py-6">
        <SkeletonLine className="h-6 w-4/5" />
        <SkeletonLine className="w-full" />
        <SkeletonLine className="w-3/5" />
      </div>
    ))}
  </div>
)
