import type { CurrencyCode } from '@tern/money/currency'

/** Debit schemes that Stripe supports for us, by the person's country. */
const schemes = {
  US: { type: 'us_bank_account', currency: 'USD' },
  GB: { type: 'bacs_debit', currency: 'GBP' },
  DE: { type: 'sepa_debit', currency: 'EUR' },
  FR: { type: 'sepa_debit', currency: 'EUR' },
} as const satisfies Record<string, { type: string; currency: CurrencyCode }>

export const findScheme = (country: string) => Object.entries(schemes).find(([code]) => code === country)?.[1]
/** Scheme that debits accounts in this currency. */
export const findSchemeByCurrency = (currency: CurrencyCode) =>
  Object.values(schemes).find((scheme) => scheme.currency === currency)
