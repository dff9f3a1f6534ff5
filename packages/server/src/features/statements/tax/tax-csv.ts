import type { TaxSummaryView } from '@tern/contract/statements/tax-summary'
import { csvHead, csvLine } from '../../../platform/files/csv.ts'

const columns = [
  'section',
  'currency',
  'kind',
  'count',
  'id',
  'time',
  'reference',
  'acquired_at',
  'quantity',
  'base_currency',
  'proceeds',
  'cost',
  'gain',
  'rate_source',
  'rate_time',
  'note',
] as const

type Row = Partial<Record<(typeof columns)[number], string | number | null>>

/** Writes a summary as CSV: first its terms, then totals, gains, disposals with their lots, and the lots left. */
export function* writeTaxCsv(summary: TaxSummaryView): Generator<string, void, undefined> {
  const { base_currency, method, rounding, notice, year, time_zone, as_of } = summary
  yield csvHead(columns)
  const terms = `${String(year)}, ${time_zone}, ${method}, ${rounding}. ${notice}`
  yield writeRow({ section: 'notice', time: as_of, base_currency, note: terms })
  for (const { amount, ...total } of summary.totals) yield writeRow({ section: 'total', ...total, quantity: amount })
  for (const { disposals, without_rate: withoutRate, ...gain } of summary.gains) {
    const note = withoutRate === 0 ? null : `without rate: ${String(withoutRate)}`
    yield writeRow({ section: 'gain', ...gain, base_currency, count: disposals, note })
  }
  for (const { lots, at, ...disposal } of summary.disposals) {
    yield writeRow({ section: 'disposal', ...disposal, base_currency, time: at })
    for (const lot of lots) {
      yield writeRow({ section: 'disposed_lot', ...lot, base_currency, id: disposal.id, currency: disposal.currency })
    }
  }
  for (const lot of summary.lots) yield writeRow({ section: 'remaining_lot', ...lot, base_currency })
}

const writeRow = (row: Row): string => csvLine(columns.map((column) => row[column] ?? null))
