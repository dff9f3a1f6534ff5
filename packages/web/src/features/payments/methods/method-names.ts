import type { BankAccount, SavedCard } from '@tern/contract/banking'
import { methods } from '#messages/methods.ts'

/** "Harbour Bank ··6789". */
export const accountName = ({ bank_name: bank, last4 }: Pick<BankAccount, 'bank_name' | 'last4'>): string =>
  methods.ending(bank, last4)

/** "Visa ··4242". */
export const cardName = ({ brand, last4 }: Pick<SavedCard, 'brand' | 'last4'>): string => methods.ending(brand, last4)
