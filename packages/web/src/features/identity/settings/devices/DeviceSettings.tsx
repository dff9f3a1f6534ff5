import { account } from '#messages/identity/account.ts'
import { useUser } from '../../../../app/session/session.ts'
import { EntrySkeleton, RuledSection } from '../../../../ui/layout/RuledSection.tsx'
import { Devices } from './Devices.tsx'

/** Settings tab for the devices on which the account is signed in. */
export default function DeviceSettings() {
  const userId = useUser()?.id
  return (
    <RuledSection id="devices" title={account.devicesTitle} text={account.devicesText}>
      {userId === undefined ? <EntrySkeleton /> : <Devices key={userId} userId={userId} />}
    </RuledSection>
  )
}
