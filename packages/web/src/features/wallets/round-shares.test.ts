import type { CurrencyCode } from '@tern/money/currency'
import { expect, test } from 'vitest'
import { roundShares } from './round-shares.ts'

test.each<[readonly (string | null)[], CurrencyCode, readonly (number | undefined)[]]>([
  [['100.00'], 'USD', [100]],
  [['33.33', '33.33', '33.33'], 'USD', [34, 33, 33]],
  [['66.67', '33.33'], 'EUR', [67, 33]],
  [['1.00', '1.00', '1.00', '1.00', '1.00', '1.00'], 'EUR', [17, 17, 17, 17, 16, 16]],
  [['8748.13', '1239.63', '410.58'], 'USD', [84, 12, 4]],
  [['999999.99', '0.01'], 'USD', [100, 0]],
  [['0.01', '0.01', '99.98'], 'USD', [0, 0, 100]],
  [['12.50', '12.50', '12.50', '12.50', '50.00'], 'USD', [13, 13, 12, 12, 50]],
  [['1', '2'], 'JPY', [33, 67]],
  [['90071992547409931.07', '90071992547409931.07'], 'INR', [50, 50]],
  [['50.00', null, '50.00'], 'USD', [50, undefined, 50]],
  [['50.00', '0.00'], 'USD', [100, undefined]],
  [['0.00'], 'USD', [undefined]],
  [[null, null], 'USD', [undefined, undefined]],
  [[], 'USD', []],
])('values %j in %s have the shares %j', (values, base, shares) => {
  expect(roundShares(values, base)).toEqual(shares)
  const knownShares = shares.filter((share) => share !== undefined)
  if (knownShares.length > 0) expect(knownShares.reduce((sum, share) => sum + share, 0)).toBe(100)
})
