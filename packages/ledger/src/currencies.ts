import { type CurrencyCode, currencyCodes, currencyOf } from '@tern/money/currency'
import type pg from 'pg'

/**
 * Adds new currencies of the registry to `ledger.currency`. Throws if a stored currency has another kind or scale,
 * which would change the meaning of its amounts.
 */
export async function addCurrencies(client: pg.ClientBase): Promise<void> {
  const registryCurrencies = currencyCodes.map((code: CurrencyCode) => currencyOf(code))
  const columns = [
    registryCurrencies.map(({ code }) => code),
    registryCurrencies.map(({ kind }) => kind),
    registryCurrencies.map(({ scale }) => scale),
  ]
  await client.query(
    `insert into ledger.currency (code, kind, scale) select * from unnest($1::text[], $2::text[], $3::smallint[])
         on conflict do nothing`,
    columns,
  )
  const { rows } = await client.query<{ code: string }>(
    `select code from ledger.currency join unnest($1::text[], $2::text[], $3::smallint[]) as known (code, kind, scale)
      using (code) where currency.kind <> known.kind or currency.scale <> known.scale`,
    columns,
  )
  if (rows.length > 0) {
    throw new Error(`The database keeps ${rows.map(({ code }) => code).join(', ')} with another kind or scale.`)
  }
}
