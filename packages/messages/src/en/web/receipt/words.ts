import { receipt as ofLanguage } from '../../receipt.ts'

/** What a receipt says; the server says the same in its files. */
export const receipt = ofLanguage
