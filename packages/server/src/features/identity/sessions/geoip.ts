import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { BlockList, isIP } from 'node:net'
import { type CountryResponse, Reader } from 'mmdb-lib'

const databaseFile = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

let countries: Reader<CountryResponse> | undefined

const openDatabase = () =>
  new Reader<CountryResponse>(readFileSync(createRequire(import.meta.url).resolve(databaseFile)))

// Reserved and multicast networks (RFC 6890 and later), to some of which the database assigns a country.
const reservedNetworks = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  reservedNetworks.addSubnet(network, bits, 'ipv4')
}
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['100::', 64],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  reservedNetworks.addSubnet(network, bits, 'ipv6')
}

/** Returns the country of an address (ISO 3166-1 alpha-2); undefined for reserved networks and unknown addresses. */
export function findCountry(address: string): string | undefined {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').replace(/%.*$/, '')
  const family = isIP(plain)
  if (family === 0 || reservedNetworks.check(plain, family === 4 ? 'ipv4' : 'ipv6')) return undefined
  countries ??= openDatabase()
  // This database's records are flatter than the reader's types.
  const lookupResult = countries.get(plain) as { country_code?: unknown } | null
  const code = lookupResult?.country_code
  return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : undefined
}
