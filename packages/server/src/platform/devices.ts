import type { Messages } from './messages.ts'

/** Device of a sign-in, by untranslated names; unknown parts are undefined. */
export interface Device {
  readonly browser?: string | undefined
  readonly system?: string | undefined
}

/** Place of a request: the country (ISO 3166-1 alpha-2) if known, and the network. */
export interface GeoPlace {
  readonly country?: string | undefined
  readonly network: string
}

/** Formats a device, such as 'Chrome on Linux' or 'Safari on iPhone'. */
export function deviceInWords({ activity: { devices } }: Messages, { browser, system }: Device): string {
  if (browser === undefined) return system === undefined ? devices.unknown : devices.browser_unknown({ system })
  return system === undefined ? browser : devices.browser_on({ browser, system })
}

/** Formats a place: the country, otherwise the network, such as 'network 192.0.2.0/24'. */
export function placeInWords({ language, activity: { devices } }: Messages, { country, network }: GeoPlace): string {
  const names = new Intl.DisplayNames(language.code, { type: 'region', fallback: 'none' })
  const name = country ? names.of(country) : undefined
  return name ?? (network === '' ? devices.place_unknown : devices.network({ network }))
}
