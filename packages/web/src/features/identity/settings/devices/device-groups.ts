import type { DeviceSession } from '@tern/contract/security'
import { account } from '#messages/identity/account.ts'
import { textLocale } from '../../../../ui/format/locale.ts'

/** All logins of one browser at one place. */
export interface DeviceGroup {
  readonly device: string
  readonly place: string
  /** The current login first, then by most recent use. */
  readonly logins: readonly [DeviceSession, ...DeviceSession[]]
  readonly isCurrent: boolean
}

const isLoopback = (network: string): boolean => network.startsWith('127.') || /^(0:|::)(0:)*:?(1\b|\/)/.test(network)

/** Place of a login: its country, otherwise its network; loopback is shown as this computer. */
export function describePlace({ country, network }: Pick<DeviceSession, 'country' | 'network'>): string {
  if (country) return new Intl.DisplayNames(textLocale(), { type: 'region' }).of(country) ?? country
  return isLoopback(network) ? account.thisComputer : network || account.placeUnknown
}

/** Groups sessions by device and place, in the server's order. */
export function groupByDevice(sessions: readonly DeviceSession[]): DeviceGroup[] {
  const groups = new Map<string, DeviceGroup>()
  for (const session of sessions) {
    const place = describePlace(session)
    const key = JSON.stringify([session.device, place])
    const group = groups.get(key)
    groups.set(key, {
      device: session.device,
      place,
      logins: group ? [...group.logins, session] : [session],
      isCurrent: session.current || group?.isCurrent === true,
    })
  }
  return [...groups.values()]
}
