import { isCurrencyCode } from '@tern/money/currency'
import { ownTimeZone } from '../../../app/browser/time-zone.ts'
import { personLocale } from '../../../ui/format/locale.ts'
import type { TransactionQuery } from '../../../app/session/live.ts'

type Type = NonNullable<TransactionQuery['type']>
type Status = NonNullable<TransactionQuery['status']>
type Days = NonNullable<TransactionQuery['days']>
type Currency = NonNullable<TransactionQuery['currency']>
export type Column = NonNullable<TransactionQuery['sort']>

/** Filter of the list; an empty string does not filter. */
export interface Filter {
  readonly type: Type | ''
  readonly days: Days | ''
  readonly status: Status | ''
  readonly currency: Currency | ''
}

export interface Sort {
  readonly sort: Column
  readonly order: 'asc' | 'desc'
}

export interface Place {
  /** Day to start at, as `2026-11-22`, for date order; empty starts at the beginning of the list. */
  readonly at: string
  /** Cursor of this page, from an adjacent page. */
  readonly cursor: string | undefined
  /** Row number of the page's first transaction, counted from 1, if known. */
  readonly first: number | undefined
}

/** Complete state of the list. Stored in the address, so that a list can be linked and reloaded. */
export interface ListState extends Filter, Sort, Place {
  readonly search: string
  readonly pageSize: number
  readonly details: string | undefined
}

export const noFilter: Filter = { type: '', days: '', status: '', currency: '' }
export const firstPageState: Place = { at: '', cursor: undefined, first: undefined }
export const defaultSort: Sort = { sort: 'date', order: 'desc' }
export const pageSizes = [10, 25, 50] as const
export const filterTypes = ['SEND', 'RECEIVE', 'DEPOSIT', 'WITHDRAWAL', 'EXCHANGE'] as const
export const filterDays = ['', '7', '30', '90'] as const
export const filterStatuses = ['', 'COMPLETED', 'PENDING', 'FAILED'] as const
export const columns: readonly Column[] = ['date', 'type', 'description', 'amount', 'status']

const findValue = <Value extends string>(values: readonly Value[], text: string | null): Value | '' =>
  values.find((value) => value === text) ?? ''

/** Parses an address; ignores unknown values. */
export function readState(address: URLSearchParams): ListState {
  const currency = address.get('currency') ?? ''
  const first = /^[1-9]\d{0,6}$/.test(address.get('from') ?? '') ? Number(address.get('from')) : undefined
  const at = address.get('at') ?? ''
  return {
    search: (address.get('search') ?? '').slice(0, 100),
    type: findValue(filterTypes, address.get('type')),
    days: findValue(filterDays, address.get('days')),
    status: findValue(filterStatuses, address.get('status')),
    currency: isCurrencyCode(currency) ? currency : '',
    sort: findValue(columns, address.get('sort')) || 'date',
    order: address.get('order') === 'asc' ? 'asc' : 'desc',
    at: /^\d{4}-\d\d-\d\d$/.test(at) && !Number.isNaN(Date.parse(at)) ? at : '',
    cursor: address.get('cursor') ?? undefined,
    first,
    pageSize: pageSizes.find((size) => String(size) === address.get('rows')) ?? pageSizes[0],
    details: address.get('details') ?? undefined,
  }
}

/** Writes an address, omitting defaults. */
export function writeState(state: ListState): URLSearchParams {
  const address = new URLSearchParams()
  const setParam = (name: string, value: string | undefined, defaultValue = '') => {
    if (value !== undefined && value !== defaultValue) address.set(name, value)
  }
  setParam('search', state.search)
  setParam('type', state.type)
  setParam('days', state.days)
  setParam('status', state.status)
  setParam('currency', state.currency)
  setParam('sort', state.sort, 'date')
  setParam('order', state.order, 'desc')
  setParam('at', state.at)
  setParam('cursor', state.cursor)
  setParam('from', state.first === undefined ? undefined : String(state.first))
  setParam('rows', String(state.pageSize), String(pageSizes[0]))
  setParam('details', state.details)
  return address
}

export function buildQuery(state: ListState): TransactionQuery {
  const { search, type, days, status, currency, sort, order, at, cursor, pageSize } = state
  return {
    limit: String(pageSize),
    sort,
    order,
    ...(search.trim() !== '' && { search: search.trim(), ...(/\d/.test(search) ? buildReaderSettings() : {}) }),
    ...(type && { type }),
    ...(days && { days }),
    ...(status && { status }),
    ...(currency && { currency }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(at === '' || cursor !== undefined || sort !== 'date' ? {} : { at: toDayBoundary(at, order) }),
  }
}

/** The reader's locale and time zone, by which the server interprets numbers and dates in a search. */
const buildReaderSettings = () => ({
  locale: personLocale(),
  time_zone: ownTimeZone(),
})

/** Start of a list at a local day: its end in descending order, otherwise its beginning. */
const toDayBoundary = (day: string, order: Sort['order']): string =>
  new Date(`${day}T${order === 'asc' ? '00:00:00.000' : '23:59:59.999'}`).toISOString()

export const countFilters = ({ type, days, status, currency }: Filter): number =>
  [type, days, status, currency].filter((choice) => choice !== '').length
