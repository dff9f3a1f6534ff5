import { useQuery } from '@tanstack/react-query'
import { Outlet } from 'react-router'
import { account } from '#messages/identity/account.ts'
import { useUser } from '../../../app/session/session.ts'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { EntrySkeleton, RuledSection } from '../../../ui/layout/RuledSection.tsx'
import { securityQuery } from '../security-queries.ts'
import { Connections } from './Connections.tsx'

/** Settings tab for connected services: the child route, then external sign-in methods. */
export default function ConnectionSettings() {
  const userId = useUser()?.id
  return (
    <>
      <Outlet />
      {userId !== undefined && <SignInConnections key={userId} userId={userId} />}
    </>
  )
}

function SignInConnections({ userId }: { userId: number }) {
  const security = useQuery(securityQuery(userId))
  if (security.data) return <Connections connections={security.data.external} />
  return (
    <RuledSection title={account.connectedTitle} text={account.connectedText}>
      <DataShell query={security} skeleton={<EntrySkeleton />} failed={account.loadFailed} />
    </RuledSection>
  )
}
