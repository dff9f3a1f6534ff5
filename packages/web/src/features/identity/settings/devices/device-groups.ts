import type { DeviceSession } from '@tern/contract/security'
import { account } from '#messages/identity/account.ts'
import { textLocale } from '../../../../ui/format/locale.ts'

/** One device as a person knows it: all logins of one browser at one place. */
export interface DeviceGroup {
  readonly device: string
  readonly place: string
  /** The one that asks first, then the last used first. */
  readonly logins: readonly [DeviceSession, ...DeviceSession[]]
  /** Among its logins is the one that asks. */
  readonly isCurrent: boolean
}

const isLoopback = (network: string): boolean => network.startsWith('127.') || /^(0:|::)(0:)*:?(1\b|\/)/.test(network)

/** Where a login is from: its country, else its network; the machine itself has neither worth telling. */
export function placeOf({ country, network }: Pick<DeviceSession, 'country' | 'network'>): string {
  if (country) return new Intl.DisplayNames(textLocale(), { type: 'region' }).of(country) ?? country
  return isLoopback(network) ? account.thisComputer : network || account.placeUnknown
}

/** Logins by device, in the order in which the server tells them. */
export function groupByDevice(sessions: readonly DeviceSession[]): DeviceGroup[] {
  const groups = new Map<string, DeviceGroup>()
  for (const session of sessions) {
    const place = placeOf(session)
    const key = JSON.stringify([session.device, place])
    const known = groups.get(key)
    groups.set(key, {
      device: session.device,
      place,
      logins: known ? [...known.logins, session] : [session],
      isCurrent: session.current || known?.isCurrent === true,
    })
  }
  return [...groups.values()]
}
