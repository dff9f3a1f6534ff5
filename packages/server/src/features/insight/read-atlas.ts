import type { AtlasRoute, insightAtlas } from '@tern/contract/insight'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { currencyCodes, type CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { onlyRow, type Db } from '../../platform/database/db.ts'
import { countryCode, countryForOthersSql } from '../identity/identity.ts'
import { compareWithBank, readCostSums, worldBankView } from './read-costs.ts'
import type { FlowQuery } from './read-flows.ts'
import { lowestId } from './period.ts'
import { viewPeriod } from './period-view.ts'

/** Transfers in one direction with one person, by the currency of their fees. */
export interface PersonFlights {
  readonly kind: 'SEND' | 'RECEIVE'
  readonly other_id: bigint
  /** ISO 3166-1 alpha-2; null if not known. */
  readonly country: string | null
  readonly currency: CurrencyCode
  readonly fees: bigint
  readonly flights: bigint
}

/** Returns a year of transfers as routes between countries of residence, at present. */
export async function readAtlas(db: Db, query: FlowQuery): Promise<Reply<typeof insightAtlas>> {
  const { wallet, period } = query
  const { rows } = await db.query<PersonFlights>(
    `with flown as (
       select kind, case kind when 'SEND' then recipient_id else sender_id end as other_id, fee_currency as currency,
           sum(case kind when 'SEND' then fee_amount else 0 end) as fees, count(*) as flights
         from transaction
        where user_id = $1 and id >= $2 and id < $3 and status = 'COMPLETED' and kind in ('SEND', 'RECEIVE')
        group by 1, 2, 3)
     select flown.*, ${countryForOthersSql('flown.other_id')} as country from flown`,
    [wallet.userId, lowestId(period.from), lowestId(period.to)],
  )
  const { rows: homeRows } = await db.query<{ country: string | null }>(
    `select ${countryForOthersSql('$1::bigint')} as country`,
    [wallet.userId],
  )
  const home = countryCode(onlyRow(homeRows).country)
  return {
    ...(await viewPeriod(db, { userId: wallet.userId, period })),
    base_currency: wallet.baseCurrency,
    home,
    ...planRoutes(home, rows.map(toCoded)),
    cost: compareWithBank(wallet.baseCurrency, await readCostSums(db, query)),
    world_bank: worldBankView,
  }
}

const toCoded = (row: PersonFlights): PersonFlights => ({ ...row, country: countryCode(row.country) })

const countFlights = (rows: readonly PersonFlights[]): number =>
  Number(rows.reduce((sum, { flights }) => sum + flights, 0n)) // not money: a count of transfers

const countPeople = (rows: readonly PersonFlights[]): number => new Set(rows.map(({ other_id: id }) => id)).size

/** Groups transfers into routes between countries, the most flown first; sent ones come before received ones. */
export function planRoutes(home: string | null, rows: readonly PersonFlights[]) {
  const abroad = rows.filter(({ country }) => home !== null && country !== null && country !== home)
  const countries = [...new Set(abroad.flatMap(({ country }) => country ?? []))]
  const routes = (['SEND', 'RECEIVE'] as const).flatMap((kind) =>
    countries
      .flatMap((country): AtlasRoute[] => {
        const members = abroad.filter((row) => row.kind === kind && row.country === country)
        return members.length === 0 ? [] : [buildRoute(country, kind, members)]
      })
      .toSorted((a, b) => b.flights - a.flights || (a.country < b.country ? -1 : 1)),
  )
  return {
    routes,
    domestic: countFlights(rows.filter(({ country }) => home !== null && country === home)),
    elsewhere: countFlights(rows.filter(({ country }) => home === null || country === null)),
    flights: countFlights(abroad),
    people: countPeople(abroad),
    countries: countries.length,
  }
}

function buildRoute(country: string, kind: PersonFlights['kind'], members: readonly PersonFlights[]): AtlasRoute {
  return {
    country,
    direction: kind === 'SEND' ? 'sent' : 'received',
    flights: countFlights(members),
    people: countPeople(members),
    fees: currencyCodes.flatMap((currency) => {
      const fees = members.reduce((sum, row) => sum + (row.currency === currency ? row.fees : 0n), 0n)
      return fees === 0n ? [] : [{ currency, fees: toDecimal(money(currency, fees)) }]
    }),
  }
}
