import { expect, test } from 'vitest'
import { listFormats, requestFile } from './download-formats.ts'

const month = { period: '2026-11' }
const query = { currency: 'USD', ...month, time_zone: 'UTC' } as const

test('formats of banks are offered for fiat currencies only, and the tax summary for a year only', () => {
  expect(listFormats('USD', month)).toEqual(['pdf', 'csv', 'json', 'camt053', 'ofx', 'hledger', 'beancount'])
  expect(listFormats('BTC', { period: '2026' })).toEqual(['pdf', 'csv', 'json', 'hledger', 'beancount', 'tax'])
})

test('a journal names no balance, and only a PDF names its paper', () => {
  const read = (format: Parameters<typeof requestFile>[0]['format']) =>
    requestFile({ format, query, period: { period: '2026' }, paper: 'a4' }).input.query
  expect(read('hledger')).toEqual({ period: '2026-11', time_zone: 'UTC', format: 'hledger' })
  expect(read('ofx')).toEqual({ ...query, format: 'ofx' })
  expect(read('pdf')).toEqual({ ...query, format: 'pdf', paper: 'a4' })
  expect(read('tax')).toEqual({ year: '2026', time_zone: 'UTC', format: 'csv' })
})
