import { ConfigError, type Environment, isLocal, readChoice } from './config-values.ts'

/** Screening lists and their sources. */
export interface ListsConfig {
  /** Blocks verification and payments while a required list is stale: always in production, optional in a sandbox. */
  readonly areRequired: boolean
  /** Addresses of each list's files; lists without an address are imported by hand. */
  readonly addresses: Readonly<Record<string, readonly string[]>>
}

/** Lists that may be used without a contract, where their publishers offer them. */
const published: ListsConfig['addresses'] = {
  ofac_sdn: ['SDN.CSV', 'ALT.CSV', 'ADD.CSV', 'SDN_COMMENTS.CSV'].map(
    (name) => `https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/${name}`,
  ),
  un: ['https://scsanctions.un.org/resources/xml/en/consolidated.xml'],
  eu: ['https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw'],
  uk: ['https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv'],
}

const sources: ReadonlySet<string> = new Set(['ofac_sdn', 'ofac_consolidated', 'un', 'eu', 'uk', 'pep'])

/** Reads SCREENING_LISTS and SCREENING_LIST_URLS. Throws ConfigError. */
export function readLists(environment: Environment, mode: 'sandbox' | 'production'): ListsConfig {
  const required = readChoice(environment, 'SCREENING_LISTS', ['required', 'by_mode'], 'by_mode')
  return {
    areRequired: mode === 'production' || required === 'required',
    addresses: readAddresses(environment.SCREENING_LIST_URLS?.trim() ?? '', mode === 'production' ? published : {}),
  }
}

/** Parses addresses as `source=address`, separated by spaces; they replace the defaults of their source. */
function readAddresses(text: string, usual: ListsConfig['addresses']): ListsConfig['addresses'] {
  if (text === 'off') return {}
  const named = new Map<string, string[]>()
  for (const part of text.split(/\s+/).filter(Boolean)) {
    const [, source = '', address = ''] = /^(\w+)=(.*)$/.exec(part) ?? []
    if (!sources.has(source)) {
      throw new ConfigError(`SCREENING_LIST_URLS must be off, or name lists as in un=https://…, not "${part}".`)
    }
    const known = named.get(source) ?? []
    if (address !== 'off') requireAddress(address)
    named.set(source, address === 'off' ? known : [...known, address])
  }
  return { ...usual, ...Object.fromEntries(named) }
}

function requireAddress(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal(url))
  if (!isSafe) {
    throw new ConfigError(`SCREENING_LIST_URLS: ${address} must begin with https:// unless it is on this machine.`)
  }
}
