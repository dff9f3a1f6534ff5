import type { CurrencyCode } from '@tern/money/currency'

/**
 * World Bank, Remittance Prices Worldwide, issue 47, Q3 2023 (CC BY 4.0): average cost of sending 200 USD, in basis
 * points. Issue and quarter must accompany every figure shown.
 */
export const worldBank = {
  issue: 47,
  quarter: 'Q3 2023',
  global: 618n,
  digital: 484n,
  digitalOnly: 392n,
  banks: 1148n,
  southAsia: 544n,
} as const

export type WorldBankRegion = 'global' | 'south_asia'

/** Returns the region whose average applies to a corridor: South Asia for rupees, otherwise the world. */
export const findWorldBankRegion = (target: CurrencyCode): WorldBankRegion =>
  target === 'INR' ? 'south_asia' : 'global'

/** Returns the average cost of a region, in basis points. */
export const findWorldBankAverage = (region: WorldBankRegion): bigint =>
  region === 'south_asia' ? worldBank.southAsia : worldBank.global
