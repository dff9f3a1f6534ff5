import { isCurrencyCode } from '@tern/money/currency'
import type { TransactionQuery } from '../../live.ts'

type Type = NonNullable<TransactionQuery['type']>
type Status = NonNullable<TransactionQuery['status']>
type Days = NonNullable<TransactionQuery['days']>
type Currency = NonNullable<TransactionQuery['currency']>
export type Column = NonNullable<TransactionQuery['sort']>

/** What the filter narrows the list to; an empty text narrows nothing. */
export interface Filter {
  readonly type: Type | ''
  readonly days: Days | ''
  readonly status: Status | ''
  readonly currency: Currency | ''
}

/** Which way round the list goes. */
export interface Sort {
  readonly sort: Column
  readonly order: 'asc' | 'desc'
}

/** Everything that decides which transactions are shown. It lives in the address, so a list can be linked and reloaded. */
export interface ListState extends Filter, Sort {
  readonly search: string
  /** Counts from 0. */
  readonly page: number
  readonly pageSize: number
  /** The transaction whose details are open. */
  readonly details: string | undefined
}

export const noFilter: Filter = { type: '', days: '', status: '', currency: '' }
export const usualSort: Sort = { sort: 'date', order: 'desc' }
export const pageSizes = [10, 25, 50] as const
export const filterTypes = ['SEND', 'RECEIVE', 'DEPOSIT', 'WITHDRAWAL', 'EXCHANGE'] as const
export const filterDays = ['', '7', '30', '90'] as const
export const sortChoices = [
  'date desc',
  'date asc',
  'amount desc',
  'amount asc',
  'type asc',
  'type desc',
  'description asc',
  'description desc',
  'status asc',
  'status desc',
] as const
export const filterStatuses = ['', 'COMPLETED', 'PENDING', 'FAILED'] as const
const columns: readonly Column[] = ['date', 'type', 'description', 'amount', 'status']

const oneOf = <Value extends string>(values: readonly Value[], text: string | null): Value | '' =>
  values.find((value) => value === text) ?? ''

/** Reads an address. What it does not know is as if it were not there. */
export function readState(address: URLSearchParams): ListState {
  const currency = address.get('currency') ?? ''
  const page = /^[1-9]\d{0,3}$/.test(address.get('page') ?? '') ? Number(address.get('page')) - 1 : 0
  return {
    search: (address.get('search') ?? '').slice(0, 100),
    type: oneOf(filterTypes, address.get('type')),
    days: oneOf(filterDays, address.get('days')),
    status: oneOf(filterStatuses, address.get('status')),
    currency: isCurrencyCode(currency) ? currency : '',
    sort: oneOf(columns, address.get('sort')) || 'date',
    order: address.get('order') === 'asc' ? 'asc' : 'desc',
    page,
    pageSize: pageSizes.find((size) => String(size) === address.get('rows')) ?? pageSizes[0],
    details: address.get('details') ?? undefined,
  }
}

/** Writes an address, without what is as it would be anyway. */
export function writeState(state: ListState): URLSearchParams {
  const address = new URLSearchParams()
  const put = (name: string, value: string | undefined, usual = '') => {
    if (value !== undefined && value !== usual) address.set(name, value)
  }
  put('search', state.search)
  put('type', state.type)
  put('days', state.days)
  put('status', state.status)
  put('currency', state.currency)
  put('sort', state.sort, 'date')
  put('order', state.order, 'desc')
  put('page', String(state.page + 1), '1')
  put('rows', String(state.pageSize), String(pageSizes[0]))
  put('details', state.details)
  return address
}

/** The part of a list that the server is asked for. */
export function queryOf(state: ListState): TransactionQuery {
  const { search, type, days, status, currency, sort, order, page, pageSize } = state
  return {
    limit: String(pageSize),
    offset: String(page * pageSize),
    sort,
    order,
    ...(search.trim() === '' ? {} : { search: search.trim() }),
    ...(type === '' ? {} : { type }),
    ...(days === '' ? {} : { days }),
    ...(status === '' ? {} : { status }),
    ...(currency === '' ? {} : { currency }),
  }
}

/** How many of the filter's choices narrow the list. */
export const narrowingsOf = ({ type, days, status, currency }: Filter): number =>
  [type, days, status, currency].filter((choice) => choice !== '').length
