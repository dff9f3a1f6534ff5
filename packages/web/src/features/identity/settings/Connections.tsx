import { useQuery } from '@tanstack/react-query'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type securityOverview, unlinkExternalSignIn } from '@tern/contract/security'
import { signInMethods } from '@tern/contract/sign-in'
import { account } from '#messages/identity/account.ts'
import { buildVisitorQuery } from '../../../app/session/query.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatDate } from '../../../ui/format/format.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Entry, RuledSection } from '../../../ui/layout/RuledSection.tsx'
import { useSecurityAction } from '../use-security-action.ts'

type Connection = Reply<typeof securityOverview>['external'][number]

/** External accounts that can sign in to this one; empty if there are none and none can be added. */
export function Connections({ connections }: { connections: readonly Connection[] }) {
  const { data: methods } = useQuery(buildVisitorQuery(['sign-in-methods'], signInMethods, {}))
  const { confirmAndRun, isBusy, error } = useSecurityAction()
  if (connections.length === 0 && !methods?.google && !error) return null
  return (
    <RuledSection title={account.connectedTitle} text={account.connectedText}>
      {error && <Note tone="error">{error}</Note>}
      {connections.length === 0 && <p className="muted">{account.noConnections}</p>}
      {connections.map(({ provider, email, linked_at: linkedAt }) => {
        const name = account.providers[provider]
        const disconnect = () =>
          confirmAndRun(unlinkExternalSignIn, { params: { provider } }, () => account.disconnected(name))
        return (
          <Entry key={provider} title={name} text={account.connected(email, formatDate(linkedAt))}>
            <Button look="ghost" aria-label={account.disconnectOf(name)} disabled={isBusy} onClick={disconnect}>
              {account.disconnect}
            </Button>
          </Entry>
        )
      })}
    </RuledSection>
  )
}
