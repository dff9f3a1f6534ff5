import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { type ReactNode, useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { street as streetTexts } from '#messages/transfers/street.ts'
import { DataShell } from '../../../../ui/feedback/DataShell.tsx'
import { SettingGroup } from '../../../../ui/settings/SettingRow.tsx'
import { securityQuery } from '../../security-queries.ts'
import { Places } from '../street/Places.tsx'
import { StreetRow } from '../street/StreetRow.tsx'
import { streetQuery } from '../street/use-street.ts'
import { UndoRow } from '../undo/UndoRow.tsx'
import { CallsRow } from './CallsRow.tsx'
import { FreezeRow } from './FreezeRow.tsx'
import { PasskeyRow } from './PasskeyRow.tsx'
import { PasswordRow } from './PasswordRow.tsx'
import { TwoStepRows } from './TwoStepRows.tsx'

/** Security settings, one row each with its current state. */
export function SecurityRows({ user, fallback }: { user: CurrentUser; fallback: ReactNode }) {
  const security = useQuery(securityQuery(user.id))
  const streetResult = useQuery(streetQuery(user.id))
  // Recovery codes are created with the first factor and shown only once.
  const [codes, setCodes] = useState<readonly string[]>()
  const showCodes = (newCodes: readonly string[] | null) => newCodes && setCodes(newCodes)
  if (security.isPending || streetResult.isPending) return fallback
  return (
    <>
      <SettingGroup title={account.groups.logIn}>
        <DataShell query={security} skeleton={null} failed={account.loadFailed}>
          {(data) => (
            <>
              <PasswordRow user={user} hasPassword={data.has_password} />
              <TwoStepRows
                email={user.email}
                security={data}
                codes={codes}
                onCodes={showCodes}
                onSaved={() => setCodes(undefined)}
              />
              <PasskeyRow passkeys={data.passkeys} onCodes={showCodes} />
            </>
          )}
        </DataShell>
      </SettingGroup>
      <SettingGroup title={account.groups.trouble}>
        <CallsRow />
        <FreezeRow user={user} />
        <DataShell query={streetResult} skeleton={null} failed={streetTexts.loadFailed}>
          {(stored) => <StreetRow key={stored.next?.at ?? ''} userId={user.id} stored={stored} />}
        </DataShell>
        <UndoRow userId={user.id} />
      </SettingGroup>
      {streetResult.data && (
        <SettingGroup title={account.groups.places}>
          <Places user={user} mode={streetResult.data} />
        </SettingGroup>
      )}
    </>
  )
}
