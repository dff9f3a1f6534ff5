import '../../css/orders.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { orders as texts } from '#messages/exchange/orders.ts'
import { shell, titles } from '#messages/shell.ts'
import { walletQuery } from '../../app/session/live.ts'
import { useUser } from '../../app/session/session.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { ActivitySkeleton, SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { combineQueries } from '../../ui/feedback/combine-queries.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { OrderSheet } from './OrderSheet.tsx'
import { type Alerts, alertsQuery, type Orders as Page, ordersQuery } from './order-queries.ts'
import { useOrderForm } from './use-order-form.ts'
import { useSubject } from './use-subject.ts'

// Loaded lazily: the form works without it.
const OrdersChart = lazyComponent(() => import('./chart/OrdersChart.tsx'), 'OrdersChart')
const OpenOrders = lazyComponent(() => import('./OpenOrders.tsx'), 'OpenOrders')
const OrderHistory = lazyComponent(() => import('./OrderHistory.tsx'), 'OrderHistory')
// Loaded lazily: most users are verified.
const VerificationRequired = lazyComponent(
  () => import('../../app/shell/VerificationRequired.tsx'),
  'VerificationRequired',
)

/** Limit and stop orders, and rate alerts. */
export default function Orders() {
  const user = useUser()
  return (
    <>
      <h1 className="display-m">{titles.orders}</h1>
      {!user ? (
        <Skeletons />
      ) : user.kyc_status === 'verified' ? (
        <UserOrders key={user.id} user={user} />
      ) : (
        <Suspense fallback={<Skeletons />}>
          <VerificationRequired status={user.kyc_status} />
        </Suspense>
      )}
    </>
  )
}

function UserOrders({ user }: { user: CurrentUser }) {
  const wallet = useQuery(walletQuery(user.id))
  const orders = useQuery(ordersQuery(user.id))
  const alerts = useQuery(alertsQuery(user.id))
  return (
    <DataShell query={combineQueries({ wallet, orders, alerts })} skeleton={<Skeletons />} failed={texts.loadFailed}>
      {(data) => (
        <>
          <OfflineNote className="mt-6" readAt={Math.min(wallet.dataUpdatedAt, orders.dataUpdatedAt)} />
          <OrdersLayout user={user} {...data} />
        </>
      )}
    </DataShell>
  )
}

interface OrdersLayoutProps {
  user: CurrentUser
  wallet: Wallet
  orders: Page
  alerts: Alerts
}

function OrdersLayout({ user, wallet, orders, alerts }: OrdersLayoutProps) {
  const { subject, selectedOrder, select } = useSubject(user.id, orders, alerts)
  const form = useOrderForm({
    ...{ userId: user.id, wallet, subject },
    onLeave: (endedOrder) => select(endedOrder ? { order: endedOrder.id } : undefined),
  })
  const selectAndScroll: typeof select = (chosen) => {
    form.clear()
    select(chosen)
    document.querySelector('h1')?.scrollIntoView({ block: 'start' })
    document.querySelector<HTMLInputElement>('.order-sheet input')?.focus({ preventScroll: true })
  }
  return (
    <>
      <div className="orders">
        <Suspense fallback={<ChartSkeleton />}>
          <OrdersChart form={form} orders={orders.open} alerts={alerts.open} selectedOrder={selectedOrder} />
        </Suspense>
        <OrderSheet
          form={form}
          wallet={wallet}
          selectedOrder={selectedOrder}
          onLeave={() => selectAndScroll(undefined)}
        />
      </div>
      <Suspense fallback={<ActivitySkeleton rows={3} />}>
        <OpenOrders userId={user.id} {...{ orders, alerts, subject }} onChoose={selectAndScroll} />
        <OrderHistory userId={user.id} {...{ orders, alerts, selectedOrder }} onChoose={selectAndScroll} />
      </Suspense>
    </>
  )
}

function Skeletons() {
  return (
    <div aria-busy="true" aria-label={shell.loading}>
      <div className="orders">
        <ChartSkeleton />
        <div className="sheet order-sheet">
          <div className="scale-bar" />
          <div className="order-body grid gap-5 p-6 max-md:py-5 max-md:px-4">
            <SkeletonLine className="h-11 w-full" />
            <SkeletonLine className="h-12 w-full" />
            <SkeletonLine className="h-12 w-full" />
            <SkeletonLine className="w-4/5" />
            <SkeletonLine className="h-12 w-full" />
          </div>
        </div>
      </div>
      <div className="mt-16 max-md:mt-12 [&>.note]:mb-4">
        <ActivitySkeleton rows={3} />
      </div>
    </div>
  )
}

/** Same height as the chart with its heading. */
function ChartSkeleton() {
  return (
    <div className="grid gap-6 content-start min-h-150">
      <SkeletonLine className="w-24" />
      <SkeletonLine className="w-2/5" />
    </div>
  )
}
