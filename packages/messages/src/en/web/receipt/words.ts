import { receipt as ofLanguage } from '../../receipt.ts'

/** Texts of a receipt, identical to those in the server's files. */
export const receipt = ofLanguage
