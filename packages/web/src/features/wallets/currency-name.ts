import { type CryptoCode, type CurrencyCode, isFiatCode } from '@tern/money/currency'
import { wallets } from '#messages/wallets.ts'
import { textLocale } from '../../ui/format/locale.ts'

/** Localized currency name: "Euro", "Bitcoin". */
export const currencyName = (currency: CurrencyCode): string =>
  isFiatCode(currency)
    ? (new Intl.DisplayNames(textLocale(), { type: 'currency' }).of(currency) ?? currency)
    : wallets.names[currency as CryptoCode]
