import type { Messages } from './messages.ts'

/** What somebody signs in with, by names that are not translated; what is not known is left out. */
export interface Device {
  readonly browser?: string | undefined
  readonly system?: string | undefined
}

/** Where somebody is: a country (ISO 3166-1 alpha-2) where it is known, and the network. */
export interface Place {
  readonly country?: string | undefined
  readonly network: string
}

/** A device as its owner would call it, such as 'Chrome on Linux' or 'Safari on iPhone'. */
export function deviceInWords({ activity: { devices } }: Messages, { browser, system }: Device): string {
  if (browser === undefined) return system === undefined ? devices.unknown : devices.browser_unknown({ system })
  return system === undefined ? browser : devices.browser_on({ browser, system })
}

/** A place as mails say it: the country, else the network, such as 'network 192.0.2.0/24'. */
export function placeInWords({ language, activity: { devices } }: Messages, { country, network }: Place): string {
  const names = new Intl.DisplayNames(language.code, { type: 'region', fallback: 'none' })
  const name = country ? names.of(country) : undefined
  return name ?? (network === '' ? devices.place_unknown : devices.network({ network }))
}
